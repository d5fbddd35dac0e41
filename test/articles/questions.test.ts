import { testQuestions } from "../questions.ts";
import { QUESTIONS } from "./questions.ts";

await testQuestions(QUESTIONS, 20, 6);
