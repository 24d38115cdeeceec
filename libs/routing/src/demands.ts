/** Features that a call requires of a model, in any dialect. */
export interface Demands {
  /**
   * Estimate: a token has four characters, a picture a thousand tokens. Data of files does not
   * count.
   */
  readonly tokens: number;
  readonly image: boolean;
  readonly audio: boolean;
  readonly document: boolean;
  readonly tools: boolean;
  readonly jsonSchema: boolean;
}

type Media = 'image' | 'audio' | 'document';

const TOKEN_CHARACTERS = 4;
const PICTURE_TOKENS = 1_000;
/** Members of a body whose texts count as tokens. */
const TEXT_MEMBERS = [
  'system',
  'instructions',
  'systemInstruction',
  'messages',
  'input',
  'prompt',
  'contents',
  'tools',
];
/** Members that hold base64 data or URLs; their text does not count as tokens. */
const DATA_MEMBERS: ReadonlySet<string> = new Set([
  'data',
  'file_data',
  'bytes',
  'url',
  'image_url',
  'fileUri',
]);
const TYPES: ReadonlyMap<string, Media> = new Map([
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['document', 'document'],
  ['file', 'document'],
  ['input_file', 'document'],
]);

type Json = Readonly<Record<string, unknown>>;
const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const CACHE = new WeakMap<object, Demands>();
const NONE: Demands = {
  ...{ tokens: 0, image: false, audio: false, document: false },
  ...{ tools: false, jsonSchema: false },
};

/**
 * Returns the features that a JSON body requires of a model. Takes linear time, once per body: the
 * result is cached for further conditions.
 */
export function demandsOf(params: unknown): Demands {
  if (typeof params !== 'object' || params === null) return NONE;
  let demands = CACHE.get(params);
  if (demands === undefined) {
    demands = read(asJson(params));
    CACHE.set(params, demands);
  }
  return demands;
}

/** Walks a body and collects its media and the length of its texts. */
class Findings {
  readonly media = new Set<Media>();
  characters = 0;
  pictures = 0;
  /**
   * Values still to visit: an explicit stack, because a body may be nested deeper than the call
   * stack.
   */
  private readonly unvisited: unknown[];

  constructor(body: Json) {
    this.unvisited = TEXT_MEMBERS.map((name) => body[name]);
    while (this.unvisited.length > 0) this.take(this.unvisited.pop());
  }

  private take(value: unknown): void {
    if (typeof value === 'string') this.characters += value.length;
    else if (Array.isArray(value)) for (const item of value) this.unvisited.push(item);
    else if (typeof value === 'object' && value !== null) this.takeObject(value as Json);
  }

  private takeObject(value: Json): void {
    const found = mediumOf(value);
    if (found !== null) this.media.add(found);
    if (found === 'image') this.pictures += 1;
    for (const [name, member] of Object.entries(value))
      if (!isData(name, member)) this.unvisited.push(member);
  }
}

function read(body: Json): Demands {
  const { media, characters, pictures } = new Findings(body);
  return {
    tokens: Math.ceil(characters / TOKEN_CHARACTERS) + pictures * PICTURE_TOKENS,
    image: media.has('image'),
    audio: media.has('audio'),
    document: media.has('document'),
    tools: isFilled(body['tools']) || isFilled(body['functions']),
    jsonSchema: hasSchema(body),
  };
}

const isData = (name: string, value: unknown): boolean => typeof value === 'string' && DATA_MEMBERS.has(name);
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/**
 * Returns the medium of a content part by its `type` or its MIME type; null for text and unknown
 * parts.
 */
function mediumOf(part: Json): Media | null {
  const { type } = part;
  const byType = typeof type === 'string' ? TYPES.get(type) : undefined;
  if (byType !== undefined) return byType;
  const { mimeType } = asJson(part['inlineData'] ?? part['fileData']);
  if (typeof mimeType !== 'string') return null;
  if (mimeType.startsWith('image/')) return 'image';
  return mimeType.startsWith('audio/') ? 'audio' : 'document';
}

/** Whether the response must match a JSON schema; each dialect requests that in another member. */
function hasSchema(body: Json): boolean {
  const config = asJson(body['generationConfig']);
  return (
    asJson(body['response_format'])['type'] === 'json_schema' ||
    asJson(asJson(body['text'])['format'])['type'] === 'json_schema' ||
    asJson(asJson(body['output_config'])['format'])['type'] === 'json_schema' ||
    config['responseSchema'] !== undefined ||
    config['responseJsonSchema'] !== undefined
  );
}
