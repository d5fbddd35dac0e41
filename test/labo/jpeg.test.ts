// The comment of a JPEG that lies: one test for each shape that a camera, or someone who means harm, gives it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanJpeg, judgeJpeg, type Reason } from "../../workers/labo/jpeg.ts";

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(...parts: (number | ArrayLike<number>)[]): Bytes {
  const bytes = new Uint8Array(
    parts.reduce<number>((sum, part) => sum + (typeof part === "number" ? 1 : part.length), 0),
  );
  let at = 0;
  for (const part of parts) {
    bytes.set(typeof part === "number" ? [part] : part, at);
    at += typeof part === "number" ? 1 : part.length;
  }
  return bytes;
}
const zeros = (count: number) => new Uint8Array(count);
const textOf = (text: string) => bytesOf(new TextEncoder().encode(text));

/** A segment with the length that its payload has, or with the one that is told. */
const segment = (marker: number, payload: ArrayLike<number>, length = payload.length + 2) =>
  bytesOf(0xff, marker, length >> 8, length & 0xff, payload);
const comment = (payload: ArrayLike<number>, length?: number) => segment(0xfe, payload, length);
/** A comment as OAUTH.md counts it: `real` bytes after its marker, its length among them. */
const lying = (announced: number, real: number) => comment(zeros(real - 2), announced);

const SOI = bytesOf(0xff, 0xd8);
const EOI = bytesOf(0xff, 0xd9);
const APP0 = segment(0xe0, bytesOf(textOf("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0));
const table = (id: number) => segment(0xdb, bytesOf(id, Array(64).fill(16)));
const DQT = bytesOf(table(0), table(1));
const frame = (width = 640, height = 480, marker = 0xc0) =>
  segment(marker, bytesOf(8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1));
const SOF = frame();
const DHT = segment(0xc4, bytesOf(0, 1, Array(15).fill(0), 0));
const SOS = segment(0xda, bytesOf(3, 1, 0, 2, 17, 3, 17, 0, 63, 0));
/** Stuffing, restarts, and what would be a comment anywhere else. */
const SCAN = bytesOf(0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xd7, 0x78);
const TAIL = bytesOf(SOS, SCAN, EOI);
const IMAGE = bytesOf(SOI, APP0, DQT, SOF, DHT, TAIL);
/** The same image with something between its first segment and its tables. */
const withComment = (...parts: Bytes[]) => bytesOf(SOI, APP0, ...parts, DQT, SOF, DHT, TAIL);

/** Where two files part, or null. Six megabytes compared by `toEqual` take seconds. */
function partingOf(one: Bytes, other: Bytes): number | null {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  if (at !== -1) return at;
  return one.length === other.length ? null : one.length;
}

function expectRepaired(broken: Bytes, original: Bytes) {
  const { bytes, reason } = cleanJpeg(broken);
  expect({ reason, parting: partingOf(bytes, original) }).toEqual({ reason: null, parting: null });
  expect(cleanJpeg(bytes).bytes).toBe(bytes);
}

function expectLeft(file: Bytes, reason: Reason | null) {
  const before = file.slice();
  const cleaned = cleanJpeg(file);
  expect(cleaned.reason).toBe(reason);
  expect(cleaned.bytes).toBe(file);
  expect(partingOf(file, before)).toBeNull();
}

describe("cleanJpeg", () => {
  it("gives an image without a comment back as it came: the same bytes, not a copy", () => {
    expectLeft(IMAGE, null);
  });

  it("removes an honest comment of 20 bytes", () => {
    expectRepaired(withComment(comment(textOf("camera de l'entree"))), IMAGE);
  });

  it("repairs the camera's own file: 4,094 bytes announced, 4,958 written, 33,708 bytes become 28,748", () => {
    const scan = Uint8Array.from({ length: 28_748 - IMAGE.length + SCAN.length }, (_, index) => index % 251);
    const original = bytesOf(SOI, APP0, DQT, SOF, DHT, SOS, scan, EOI);
    const broken = bytesOf(SOI, APP0, DQT, lying(4094, 4958), SOF, DHT, SOS, scan, EOI);
    expect([broken.length, original.length]).toEqual([33_708, 28_748]);
    expectRepaired(broken, original);
  });

  it("repairs the other make: 4,094 announced, 4,702 written, then an honest comment of 254", () => {
    expectRepaired(withComment(lying(4094, 4702), lying(254, 254)), IMAGE);
  });

  it("removes two comments that both lie", () => {
    expectRepaired(withComment(lying(40, 90), lying(30, 200)), IMAGE);
    expectRepaired(bytesOf(SOI, lying(4094, 4958), APP0, DQT, lying(4094, 4702), SOF, DHT, TAIL), IMAGE);
  });

  it("isn't led into a table by a comment that announces too much", () => {
    for (let over = 1; over < DQT.length + SOF.length; over++) {
      // One that ends exactly on a later marker can't be told from an honest comment.
      const landsOnMarker = [table(0).length, DQT.length].includes(over);
      if (!landsOnMarker) expectRepaired(withComment(comment(zeros(18), 20 + over)), IMAGE);
    }
  });

  it.each([0, 1])("looks for the end of a comment that announces %i, less than its own length", (announced) => {
    expectRepaired(withComment(comment(zeros(40), announced)), IMAGE);
    expectRepaired(withComment(comment([], announced)), IMAGE);
  });

  it("removes an empty comment, whose length of 2 is legal", () => {
    expectRepaired(withComment(comment([])), IMAGE);
  });

  it("looks for the end of a comment that announces FFFF, past the end of the file", () => {
    expectRepaired(withComment(comment(textOf("bonjour"), 0xffff)), IMAGE);
  });

  it("isn't stopped by FFFE, FFD8 and FFD9 in the payload of a comment that lies", () => {
    const payload = bytesOf(0xff, 0xfe, textOf("h\0i\0"), SOI, EOI, zeros(60));
    for (const announced of [0, 6, 8, 9, 30]) expectRepaired(withComment(comment(payload, announced)), IMAGE);
  });

  it("isn't stopped by FF00 in the payload of a comment that lies", () => {
    const payload = bytesOf(Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? 0xff : 0)));
    for (const announced of [0, 10, 11, 500]) expectRepaired(withComment(comment(payload, announced)), IMAGE);
  });

  it("isn't stopped by a false table in the payload of a comment that lies", () => {
    const payload = bytesOf(textOf("avant"), 0xff, 0xdb, 0x00, 0x43, zeros(120));
    for (const announced of [0, 7, 12, 50]) expectRepaired(withComment(comment(payload, announced)), IMAGE);
  });

  it("isn't stopped by a length that looks like a table, nor by three false segments in a row", () => {
    expectRepaired(withComment(comment(table(0).slice(2), 0xffdb)), IMAGE);
    const three = bytesOf(textOf("avant"), APP0, table(0), APP0, zeros(40));
    for (const announced of [0, 7, 50]) expectRepaired(withComment(comment(three, announced)), IMAGE);
  });

  it("believes no comment found inside a payload, even one that would lead past a table to the next segment", () => {
    const after = zeros(20);
    const inner = segment(0xfe, after, 2 + after.length + DQT.length);
    for (const announced of [0, 6]) expectRepaired(withComment(comment(inner, announced)), IMAGE);
  });

  it("isn't stopped by a payload of FF in a comment that lies", () => {
    const payload = bytesOf(Array(900).fill(0xff));
    for (const announced of [0, 100, 902]) expectRepaired(withComment(comment(payload, announced)), IMAGE);
  });

  it("drops the fill before a comment and keeps the fill before a table", () => {
    const fill = bytesOf(0xff, 0xff, 0xff);
    const broken = bytesOf(SOI, fill, comment(textOf("x")), APP0, fill, DQT, SOF, DHT, TAIL);
    expectRepaired(broken, bytesOf(SOI, APP0, fill, DQT, SOF, DHT, TAIL));
    // Right after a comment, nothing tells it from a payload of FF.
    expectRepaired(withComment(fill, comment(textOf("x")), fill), IMAGE);
  });

  it("keeps the fill before the scan", () => {
    const rest = bytesOf(APP0, DQT, SOF, DHT, 0xff, 0xff, TAIL);
    expectRepaired(bytesOf(SOI, comment(textOf("x")), rest), bytesOf(SOI, rest));
  });

  it("keeps every kind of segment that a header may have", () => {
    const kinds = [0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc9, 0xcc, 0xcf, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xe8, 0xef];
    const header = bytesOf(...kinds.map((marker) => segment(marker, zeros(6))));
    expectRepaired(bytesOf(SOI, lying(30, 90), header, TAIL), bytesOf(SOI, header, TAIL));
  });

  it("removes a comment right before the scan", () => {
    for (const one of [comment(textOf("x")), lying(4094, 4958)]) {
      expectRepaired(bytesOf(SOI, APP0, DQT, SOF, DHT, one, TAIL), IMAGE);
    }
  });

  it("removes a comment right after the start of the image", () => {
    for (const one of [comment(textOf("x")), lying(4094, 4958)]) {
      expectRepaired(bytesOf(SOI, one, APP0, DQT, SOF, DHT, TAIL), IMAGE);
    }
  });

  it("leaves a comment between the scans of a progressive image, and removes the one before them", () => {
    const between = bytesOf(DHT, lying(4094, 4958), SOS, SCAN);
    const rest = bytesOf(frame(640, 480, 0xc2), DHT, SOS, SCAN, between, EOI);
    expectLeft(bytesOf(SOI, APP0, DQT, rest), null);
    expectRepaired(bytesOf(SOI, APP0, lying(30, 200), DQT, rest), bytesOf(SOI, APP0, DQT, rest));
  });

  it("leaves what looks like a comment inside the scan", () => {
    const scan = bytesOf(SCAN, 0xff, 0xfe, 0x00, 0x10, SCAN);
    expectLeft(bytesOf(SOI, APP0, DQT, SOF, DHT, SOS, scan, EOI), null);
    const rest = bytesOf(DQT, SOF, DHT, SOS, scan, EOI);
    expectRepaired(bytesOf(SOI, APP0, lying(4094, 4958), rest), bytesOf(SOI, APP0, rest));
  });

  it("leaves the number of lines that follows the first scan", () => {
    expectLeft(bytesOf(SOI, APP0, DQT, SOF, DHT, SOS, SCAN, segment(0xdc, [1, 224]), EOI), null);
  });

  it("repairs the header of an image that has lost its end", () => {
    const cut = IMAGE.slice(0, -2);
    expectRepaired(bytesOf(SOI, lying(4094, 4958), cut.slice(2)), cut);
  });

  it("repairs the header of an image cut in its scan", () => {
    const cut = IMAGE.slice(0, -6);
    expectRepaired(bytesOf(SOI, lying(4094, 4958), cut.slice(2)), cut);
  });

  it("leaves a file cut in a comment", () => {
    const whole = bytesOf(SOI, APP0, comment(zeros(100)));
    for (const cut of [1, 50, 99, 100]) expectLeft(whole.slice(0, -cut), "com_unbounded");
    expectLeft(whole.slice(0, -101), "com_unbounded");
    expectLeft(bytesOf(SOI, APP0, 0xff), "lost_sync");
  });

  it("leaves a file cut in a table, whether or not a comment lies before it", () => {
    expectLeft(bytesOf(SOI, APP0, table(0).slice(0, -10)), "truncated_header");
    expectLeft(
      bytesOf(SOI, APP0, comment(zeros(4)), table(0), table(1), SOF, DHT, table(0).slice(0, -10)),
      "truncated_header",
    );
  });

  it("leaves a file where a segment that isn't a comment has a length below its own two bytes", () => {
    for (const length of [0, 1]) {
      expectLeft(bytesOf(SOI, APP0, segment(0xe1, [], length), DQT, SOF, DHT, TAIL), "truncated_header");
    }
  });

  it("leaves a file where a comment that lies is followed by tables and a scan, and by no frame", () => {
    expectLeft(bytesOf(SOI, APP0, lying(4094, 4958), table(0), table(1), table(2), table(3), TAIL), "sos_before_sof");
  });

  it("leaves a file whose scan isn't well formed", () => {
    for (const bad of [segment(0xda, [0, 0, 63, 0]), segment(0xda, [5, ...zeros(13)]), segment(0xda, zeros(10), 11)]) {
      expectLeft(bytesOf(SOI, APP0, DQT, SOF, DHT, bad, SCAN, EOI), "bad_sos");
    }
    expectLeft(bytesOf(SOI, APP0, DQT, SOF, DHT, 0xff, 0xda, 0x00, 0x0c, 3), "bad_sos");
  });

  it("leaves an image that has nothing between its start and its end", () => {
    expectLeft(bytesOf(SOI, EOI), "eoi_before_sos");
  });

  it("leaves an empty file, and one too short to be anything", () => {
    for (const file of [zeros(0), SOI, bytesOf(SOI, 0xff)]) expectLeft(file, "not_jpeg");
  });

  it("leaves a PNG, a drawing that says it is a JPEG, and a page", () => {
    const png = bytesOf(0x89, textOf("PNG\r\n"), 0x1a, 0x0a, zeros(30));
    for (const file of [png, textOf("<svg xmlns='…'/>"), textOf("<!doctype html>")]) expectLeft(file, "not_jpeg");
  });

  it("leaves what a recorder writes after the end of the image", () => {
    const trailer = bytesOf(textOf("dhav"), zeros(4));
    expectLeft(bytesOf(IMAGE, trailer), null);
    expectRepaired(bytesOf(withComment(lying(4094, 4958)), trailer), bytesOf(IMAGE, trailer));
  });

  it("leaves an APP1 whole, with the picture it holds and that picture's own comment", () => {
    const inner = withComment(lying(40, 90));
    const app1 = segment(0xe1, bytesOf(textOf("Exif\0\0"), inner));
    expectLeft(bytesOf(SOI, app1, DQT, SOF, DHT, TAIL), null);
    const rest = bytesOf(app1, DQT, SOF, DHT, TAIL);
    expectRepaired(bytesOf(SOI, lying(4094, 4958), rest), bytesOf(SOI, rest));
  });

  it("leaves a file where segments don't follow one another", () => {
    expectLeft(bytesOf(SOI, APP0, 0x00, DQT, SOF, DHT, TAIL), "lost_sync");
    for (const marker of [0x00, 0x01, 0xd0, 0xd8, 0xf0, 0xfd, 0xc8, 0x42]) {
      expectLeft(bytesOf(SOI, APP0, segment(marker, zeros(4)), DQT, SOF, DHT, TAIL), "bad_marker");
    }
  });

  it("leaves a comment of which no segment marks the end within 128 KiB", () => {
    const repairable = comment(zeros(128 * 1024 - 100), 20);
    expectRepaired(withComment(repairable), IMAGE);
    expectLeft(withComment(comment(zeros(128 * 1024 + 100), 20)), "com_unbounded");
  });

  it("leaves a file of more than 6 MiB, and one of more than 512 segments", () => {
    const heavy = new Uint8Array(6 * 1024 * 1024 + 1);
    heavy.set(withComment(lying(4094, 4958)));
    expectLeft(heavy, "too_large");
    expect(cleanJpeg(heavy.slice(0, -1)).reason).toBeNull();
    const many = Array.from({ length: 520 }, () => comment([]));
    expectLeft(withComment(...many), "too_many_segments");
    expectRepaired(withComment(...many.slice(0, 500)), IMAGE);
  });

  // Each would take minutes if a guess could walk through the same bytes again and again.
  it("comes to an end on files forged against it", () => {
    const size = 6 * 1024 * 1024;
    const filled = (head: Bytes) => {
      const file = new Uint8Array(size).fill(0xff);
      file.set(head);
      return file;
    };
    // A comment full of segments that all lead to six megabytes of fill.
    const leading = bytesOf(...Array.from({ length: 8_000 }, () => bytesOf(0xff, 0xc4, 0xff, 0xff)));
    expectLeft(filled(bytesOf(SOI, comment(leading, 0))), "com_unbounded");
    const ended = filled(bytesOf(SOI, comment(leading, 0)));
    ended.set(bytesOf(0x00), size - 1);
    expectLeft(ended, "com_unbounded");
    expectLeft(filled(bytesOf(SOI, comment([], 0))), "com_unbounded");
    // As many comments as are followed, each with a long way to its end.
    const long = Array.from({ length: 45 }, () => bytesOf(comment(zeros(127 * 1024), 0), APP0, APP0, APP0, APP0));
    expectRepaired(withComment(...long), withComment(...Array(45 * 4).fill(APP0)));
  });
});

describe("judgeJpeg", () => {
  const sized = (width: number, height: number) => bytesOf(SOI, APP0, DQT, frame(width, height), DHT, TAIL);

  it("lets through an image that can be followed to its scan, with or without its end", () => {
    for (const file of [
      IMAGE,
      IMAGE.slice(0, -2),
      bytesOf(IMAGE, textOf("PK\u0003\u0004")),
      sized(8000, 8000),
      sized(1, 1),
    ]) {
      expect(judgeJpeg(file)).toBe("good");
    }
  });

  it.each<[string, Bytes]>([
    ["nothing", zeros(0)],
    ["a page", textOf("<!doctype html><title>Sign in</title>")],
    ["a PNG", bytesOf(0x89, textOf("PNG\r\n"), zeros(40))],
    ["a start and an end", bytesOf(SOI, EOI)],
    ["no width", sized(0, 480)],
    ["no height", sized(640, 0)],
    ["a width of 8,001", sized(8001, 480)],
    ["a height of 8,001", sized(640, 8001)],
    ["no frame", bytesOf(SOI, APP0, DQT, DHT, TAIL)],
    ["a frame too short to have a size", bytesOf(SOI, APP0, segment(0xc0, [8, 1, 1, 1]), DHT, TAIL)],
    ["no scan", bytesOf(SOI, APP0, DQT, SOF, DHT)],
    ["a scan that isn't well formed", bytesOf(SOI, APP0, DQT, SOF, DHT, segment(0xda, zeros(10)), SCAN)],
    ["a frame after the scan", bytesOf(SOI, APP0, DQT, DHT, SOS, SCAN, SOF, EOI)],
    ["a comment that stays", withComment(lying(4094, 4958))],
  ])("refuses %s", (_, file) => {
    expect(judgeJpeg(file)).toBe("unreadable");
  });

  it("finds an image of more than a mebibyte too heavy, and never a page", () => {
    const weighing = (size: number) => {
      const file = new Uint8Array(size);
      file.set(IMAGE);
      return file;
    };
    expect(judgeJpeg(weighing(1024 * 1024))).toBe("good");
    expect(judgeJpeg(weighing(1024 * 1024 + 1))).toBe("heavy");
    expect(judgeJpeg(new Uint8Array(9_000_000))).toBe("unreadable");
  });

  it("refuses a forged comment inside which a whole chain of segments hides", () => {
    const forged = bytesOf(
      SOI,
      comment(bytesOf(textOf("avant"), table(0), table(1), table(2), table(3), zeros(9)), 7),
      DQT,
      TAIL,
    );
    expect(judgeJpeg(cleanJpeg(forged).bytes)).toBe("unreadable");
  });
});

describe("any file", () => {
  const runs = { numRuns: 3000 };
  const payload = (maxLength: number) => fc.uint8Array({ maxLength });
  /** Bytes that hold no marker, so that where a comment ends is never in doubt. */
  const plain = (maxLength: number) =>
    fc.array(fc.integer({ min: 0, max: 0xfe }), { maxLength }).map((bytes) => bytesOf(bytes));
  const HEADERS = [0xc4, 0xdb, 0xdd, 0xe0, 0xe1, 0xef];
  const part = fc.oneof(
    fc.tuple(fc.constantFrom(...HEADERS), payload(40)).map(([marker, bytes]) => segment(marker, bytes)),
    fc
      .tuple(payload(60), fc.option(fc.integer({ min: 0, max: 0xffff })))
      .map(([bytes, length]) => comment(bytes, length ?? undefined)),
    fc.constantFrom<Bytes>(SOF, DHT, DQT, TAIL, EOI, bytesOf(0xff), bytesOf(0xff, 0xff), lying(4094, 4958)),
    payload(20).map((bytes) => bytesOf(bytes)),
  );
  /** From what is nearly an image to what is nearly anything. */
  const file: fc.Arbitrary<Bytes> = fc
    .tuple(fc.array(part, { maxLength: 12 }), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(400))
    .map(([parts, changes, cut]) => {
      const bytes = bytesOf(SOI, ...parts, SOF, TAIL);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return cut < 300 ? bytes : bytes.slice(0, cut - 300);
    });

  it("never makes it throw, comes back shorter or as it was, and a second time the same", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          { weight: 5, arbitrary: file },
          payload(300).map((bytes) => bytesOf(bytes)),
        ),
        (bytes) => {
          const before = bytes.slice();
          const cleaned = cleanJpeg(bytes);
          expect(partingOf(bytes, before)).toBeNull();
          if (cleaned.reason !== null) expect(cleaned.bytes).toBe(bytes);
          if (cleaned.bytes !== bytes) expect(cleaned.bytes.length).toBeLessThan(bytes.length);
          const again = cleanJpeg(cleaned.bytes);
          expect(again.reason).toBe(cleaned.reason);
          expect(again.bytes).toBe(cleaned.bytes);
          expect(["good", "heavy", "unreadable"]).toContain(judgeJpeg(cleaned.bytes));
          expect(judgeJpeg(bytes) === "good" && judgeJpeg(cleaned.bytes) !== "good").toBe(false);
        },
      ),
      runs,
    );
  });

  it("whose comments lie as they will is the image it would be without them, to the byte", () => {
    const real = fc.tuple(fc.constantFrom(...HEADERS), plain(30)).map(([marker, bytes]) => segment(marker, bytes));
    // What it announces ends inside it or past the file: ending on a later segment, it couldn't be told from an honest one.
    const lie = fc.tuple(plain(80), fc.nat(), fc.boolean()).map(([bytes, number, far]) => {
      return comment(bytes, far ? 0x4000 + (number % 0xc000) : number % (bytes.length + 2));
    });
    const honest = payload(80).map((bytes) => comment(bytes));
    const slot = fc.array(fc.oneof(lie, honest), { maxLength: 2 });
    fc.assert(
      fc.property(fc.array(fc.tuple(slot, real), { maxLength: 6 }), slot, payload(60), (header, last, scan) => {
        const rest = bytesOf(SOF, ...last, DHT, SOS, scan);
        const broken = bytesOf(SOI, ...header.flatMap(([comments, one]) => [...comments, one]), rest);
        const original = bytesOf(SOI, ...header.map(([, one]) => one), SOF, DHT, SOS, scan);
        const { bytes, reason } = cleanJpeg(broken);
        expect({ reason, parting: partingOf(bytes, original) }).toEqual({ reason: null, parting: null });
      }),
      runs,
    );
  });
});
