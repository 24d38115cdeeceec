/** Content types of text bodies; a missing content type counts as text. */
const TEXT = /^$|^text\/|[/+](?:json|xml|javascript|x-ndjson|event-stream|x-www-form-urlencoded)\b/i;
/** Bytes for each call of `String.fromCharCode`, which limits the number of arguments. */
const CHUNK = 0x8000;

/** Maximum number of bytes that are kept of a body; enough for ten images of 2 MB as JSON. */
export const BODY_MAX = 32 * 1024 * 1024;

/** A response body, or its first `BODY_MAX` bytes. */
export interface ReadBody {
  /** The body as text, or in base64 when it is not text. */
  readonly text: string;
  readonly isText: boolean;
  /** Bytes of the whole body. */
  readonly bytes: number;
  /** True when the body is longer than what was kept. */
  readonly isCut: boolean;
}

/**
 * Reads the body of a response to its end: as text if its content type says so, else as base64.
 * Keeps at most the first `max` bytes.
 */
export async function readBody(response: Response, max = BODY_MAX): Promise<ReadBody> {
  const parts: Uint8Array[] = [];
  let [bytes, length] = [0, 0];
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const part = read.value.subarray(0, max - length);
    if (part.length > 0) parts.push(part);
    length += part.length;
    bytes += read.value.length;
  }
  const kept = joined(parts, length);
  const isCut = bytes > length;
  const isText = TEXT.test(response.headers.get('content-type') ?? '');
  // With `stream`, the decoder leaves out a character that is cut at the end.
  const text = isText ? new TextDecoder().decode(kept, { stream: isCut }) : base64Of(kept);
  return { text, isText, bytes, isCut };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
