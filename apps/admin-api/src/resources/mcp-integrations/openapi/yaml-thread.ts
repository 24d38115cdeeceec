import { parentPort, workerData } from 'node:worker_threads';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';

/*
 * Runs in a thread of its own, without the modules of the process: reads texts in YAML 1.2 and answers
 * with JSON, which the process reads several times faster than a copy of the values. Specs run this
 * file as it is, so its types must be erasable and it imports packages alone.
 */

/** Bounds of one document. */
export interface YamlBounds {
  readonly depthMax: number;
  readonly aliasesMax: number;
  /** Characters of the document after aliases are resolved, before JSON escapes them. */
  readonly charactersMax: number;
}

export type YamlReading =
  | { readonly kind: 'json'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The text is no YAML. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'too_large' };

const { depthMax, aliasesMax, charactersMax } = workerData as YamlBounds;

function readingOf(text: string): YamlReading {
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA, maxDepth: depthMax, maxAliases: aliasesMax });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { kind: 'invalid', reason: error.reason.slice(0, 200) };
  }
  if (!isWithinBounds(value)) return { kind: 'too_large' };
  return { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(value)) };
}

/** Aliases make a short text a large document, and one that contains itself. */
function isWithinBounds(document: unknown): boolean {
  let left = charactersMax;
  const fits = (value: unknown, depth: number): boolean => {
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (left < 0 || depth > depthMax) return false;
    if (Array.isArray(value)) return value.every((each) => fits(each, depth + 1));
    if (typeof value !== 'object' || value === null) return true;
    return Object.entries(value).every(([name, each]) => {
      left -= name.length;
      return fits(each, depth + 1);
    });
  };
  return fits(document, 0);
}

parentPort?.on('message', (text: string) => {
  const reading = readingOf(text);
  parentPort?.postMessage(reading, reading.kind === 'json' ? [reading.bytes.buffer] : []);
});
