/** Content types of text bodies; a missing content type counts as text. */
const TEXT = /^$|^text\/|[/+](?:json|xml|javascript|x-ndjson|event-stream|x-www-form-urlencoded)\b/i;
/** Bytes for each call of `String.fromCharCode`, which limits the number of arguments. */
const CHUNK = 0x8000;

/** A complete response body. */
export interface ReadBody {
  /** The body as text, or in base64 when it is not text. */
  readonly text: string;
  readonly isText: boolean;
  readonly bytes: number;
}

/** Reads the body of a response: as text if its content type says so, else as base64. */
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
