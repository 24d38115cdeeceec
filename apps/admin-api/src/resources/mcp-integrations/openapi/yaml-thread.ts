import { parentPort, workerData } from 'node:worker_threads';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';

/*
 * Runs in a separate thread without the modules of the process. Reads texts in YAML 1.2 and
 * responds with JSON, which the process reads several times faster than a structured copy of the
 * values. Specs run this file uncompiled, so its types must be erasable and it imports only
 * packages.
 */

/** Bounds of one document. */
export interface YamlBounds {
  readonly depthMax: number;
  readonly aliasesMax: number;
  /**
   * Maximum number of characters of the document after aliases are resolved and before JSON escapes
   * them.
   */
  readonly charactersMax: number;
}

export type YamlReading =
  | { readonly kind: 'json'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The text is not YAML. */
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

/**
 * Whether the document is within the bounds. Aliases can turn a short text into a large document,
 * or into one that contains itself.
 */
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
