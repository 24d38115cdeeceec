import { hasDuplicateMembers, jsonSize, parseExact } from '@gw/kernel';

/** Bounds of a JSON document from another party. */
export interface JsonBounds {
  readonly bytesMax: number;
  /** Maximum depth of objects and lists. */
  readonly depthMax: number;
  /** Maximum number of commas, which bounds the members and items of all objects and lists. */
  readonly commasMax: number;
}

/**
 * Why a document cannot be read: it is not JSON in UTF-8, it exceeds a bound, or it has a duplicate
 * member.
 */
export type JsonFault = 'syntax' | 'bytes' | 'size' | 'duplicate';

export class JsonRefusal extends Error {
  override readonly name = 'JsonRefusal';

  constructor(
    readonly fault: JsonFault,
    message: string,
  ) {
    super(message);
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses JSON in UTF-8, with or without a byte order mark. Numbers that a double cannot represent
 * become objects that `JSON.stringify` writes unchanged, when `keepsNumbers` is set. Throws
 * `JsonRefusal`, also for duplicate members, because parsers differ in which one they use.
 */
export function parseBounded(body: Buffer, bounds: JsonBounds, keepsNumbers = false): unknown {
  const { bytesMax, depthMax, commasMax } = bounds;
  if (body.length > bytesMax)
    throw new JsonRefusal('bytes', `It must have at most ${String(bytesMax)} bytes.`);
  const bytes = body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
  const isOver = ({ depth, commas }: { readonly depth: number; readonly commas: number }): boolean =>
    depth > depthMax || commas > commasMax;
  if (isOver(jsonSize(bytes, isOver)))
    throw new JsonRefusal(
      'size',
      `It must have at most ${String(depthMax)} levels and ${String(commasMax)} members and items.`,
    );
  const value = parsed(bytes, keepsNumbers);
  if (hasDuplicateMembers(bytes)) throw new JsonRefusal('duplicate', 'It must not have a member twice.');
  return value;
}

function parsed(bytes: Buffer, keepsNumbers: boolean): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return keepsNumbers ? parseExact(text, bytes) : JSON.parse(text);
  } catch {
    throw new JsonRefusal('syntax', 'It must be JSON in UTF-8.');
  }
}
