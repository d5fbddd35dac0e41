import { testQuestions } from "../questions.ts";
import { QUESTIONS } from "./questions.ts";
import { listTools } from "./sources.ts";

await testQuestions(QUESTIONS, 87, 3, await listTools());
