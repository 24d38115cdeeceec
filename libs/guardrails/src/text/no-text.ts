/** The form of ids, types and choices of a list: one word without marks of a sentence. */
const IDENTIFIER = /^[\w.:|/=+-]*$/;
/** Longest identifier, except in members with the name of an id. */
const IDENTIFIER_MAX = 256;
const ID_NAME = /(?:^id|_id|Id)$/;
/** A model is a word that may have `@`: `@slug/model`, `claude-3-5-sonnet@20240620`. */
const MODEL = /^[\w.:|/=+@-]*$/;
/** A longer text without a letter may be the number of a card or a telephone. */
const DIGITS_MAX = 6;

/** Members with texts that only their provider can read. */
export const SEALED = ['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout'] as const;

/** Members with data, sealed texts and addresses of files, which have no spaces. */
const DATA: ReadonlySet<string | number> = new Set([
  ...SEALED,
  'data',
  'file_data',
  'b64_json',
  'partial_image_b64',
  'result',
  'audio',
  'thoughtSignature',
  'thought_signature',
  'authorization_token',
  'url',
  'uri',
  'image_url',
  'audio_url',
  'video_url',
  'file_url',
  'fileUri',
  'file_uri',
]);

/**
 * Whether the text of a member that no reader of a dialect knows has the form of an identifier, or
 * is data or an address of a file.
 */
export const isNoText = (key: string | number, text: string): boolean =>
  DATA.has(key)
    ? !text.includes(' ')
    : (key === 'model' ? MODEL : IDENTIFIER).test(text) &&
      (text.length <= DIGITS_MAX || /[A-Za-z]/.test(text)) &&
      (text.length <= IDENTIFIER_MAX || ID_NAME.test(String(key)));

/** Whether a name is an identifier, as in JSON Schema (`$ref`) and JSON-LD (`@type`). */
export const isNoName = (name: string): boolean => isNoText('', name.replace(/^[$@]/, ''));

/** Members of a response that repeat parts of its texts; an edit of a text removes them. */
export const REPEATS: ReadonlySet<string | number> = new Set([
  'logprobs',
  'logprobsResult',
  'groundingSupports',
]);
