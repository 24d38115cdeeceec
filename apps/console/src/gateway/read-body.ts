/** Content types whose bodies are texts; no type is one, too. */
const TEXT = /^$|^text\/|[/+](?:json|xml|javascript|x-ndjson|event-stream|x-www-form-urlencoded)\b/i;
/** Bytes of one call of `String.fromCharCode`. */
const CHUNK = 0x8000;

/** A body that was read whole. */
export interface ReadBody {
  /** A text, or base64 of other bytes. */
  readonly text: string;
  readonly isText: boolean;
  readonly bytes: number;
}

/** Reads the body of a response: as a text by its content type, else as base64. */
export async function readBody(response: Response): Promise<ReadBody> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isText = TEXT.test(response.headers.get('content-type') ?? '');
  return { text: isText ? new TextDecoder().decode(bytes) : base64Of(bytes), isText, bytes: bytes.length };
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
