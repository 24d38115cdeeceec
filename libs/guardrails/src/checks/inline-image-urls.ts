import { isObject } from '@gw/kernel';
import { CheckError, defineCheck, type CheckContext } from '../check';
import { listOf } from '../json';
import { object, textList } from '../parameters';
import { ResponseTooLong, type GuardrailResponse } from '../port';

interface Parameters {
  readonly maxSizeBytes: number;
  /** The time limit of the check, which the runner applies. */
  readonly timeoutMs: number;
  readonly providers?: readonly string[];
}

const IMAGES_MAX = 20;
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/heic', 'image/avif', 'image/bmp'];

export const inlineImageUrls = defineCheck<Parameters>({
  id: 'default.inlineImageUrls',
  doc: 'Fetches the images that a request links to and embeds them, for providers that fetch none.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: true,
  timeoutMs: 30_000,
  timeoutParameter: 'timeoutMs',
  parameters: object({
    maxSizeBytes: {
      type: 'integer',
      minimum: 1,
      maximum: 52_428_800,
      default: 20_971_520,
      description: 'Maximum size of all images of a request together, in bytes.',
    },
    providers: textList(100, 100),
  }),
  example: { maxSizeBytes: 5_242_880, timeoutMs: 10_000, providers: ['bedrock'] },
  prepare: ({ maxSizeBytes, providers }) => ({
    transforms: true,
    evaluate(subject, context) {
      const { provider } = subject.facts;
      if (providers && (provider === null || !providers.includes(provider)))
        return { verdict: true, data: { images: 0 } };
      const urls = new Set<string>();
      for (const image of imagesOf(subject.request)) urls.add(image.url);
      if (urls.size === 0) return { verdict: true, data: { images: 0 } };
      if (urls.size > IMAGES_MAX)
        throw new CheckError(`The request has more than ${String(IMAGES_MAX)} images.`);
      return fetchAll([...urls], context, maxSizeBytes).then((images) => {
        const body = structuredClone(subject.request);
        for (const image of imagesOf(body)) image.put(images.get(image.url) ?? { type: '', data: '' });
        return { verdict: true, data: { images: images.size }, body };
      });
    },
  }),
});

interface Fetched {
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

interface Image {
  readonly url: string;
  put(fetched: Fetched): void;
}

type Writable = Record<string, unknown>;

/** Depth of the deepest image: message, tool result, document, image. */
const LEVELS_MAX = 4;

/**
 * Yields every image of a chat, responses or messages request that is given by URL, also in the
 * results of tools and in documents.
 */
function* imagesOf(body: unknown): Generator<Image> {
  if (isObject(body)) yield* imagesIn([...listOf(body['messages']), ...listOf(body['input'])], 1);
}

/** Yields the images of messages, items or parts, and of the parts that they contain. */
function* imagesIn(parts: readonly unknown[], level: number): Generator<Image> {
  for (const part of parts) {
    if (!isObject(part)) continue;
    const image = imageOf(part);
    if (image) yield image;
    else if (level < LEVELS_MAX) yield* imagesIn(partsOf(part), level + 1);
  }
}

/** Returns the parts of a message, of a tool result or of a document. */
function partsOf({ content, output, source }: Writable): readonly unknown[] {
  const inSource = isObject(source) ? listOf(source['content']) : [];
  // The screenshot of a computer is a single part.
  return [...listOf(content), ...(isObject(output) ? [output] : listOf(output)), ...inSource];
}

function imageOf(part: Writable): Image | null {
  const { image_url: image, source } = part;
  const dataUri = ({ type, data }: Fetched) => `data:${type};base64,${data}`;
  if (isObject(image) && isRemote(image['url'])) {
    return { url: image['url'], put: (fetched) => ((image as Writable)['url'] = dataUri(fetched)) };
  }
  if (isRemote(image)) return { url: image, put: (fetched) => (part['image_url'] = dataUri(fetched)) };
  if (part['type'] === 'image' && isObject(source) && source['type'] === 'url' && isRemote(source['url'])) {
    return {
      url: source['url'],
      put: ({ type, data }) => (part['source'] = { type: 'base64', media_type: type, data }),
    };
  }
  return null;
}

const isRemote = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value);

/**
 * Fetches images whose total size is bounded, so that a request with many cannot fill the memory.
 */
async function fetchAll(
  urls: readonly string[],
  context: CheckContext,
  maxSizeBytes: number,
): Promise<ReadonlyMap<string, Fetched>> {
  const images = new Map<string, Fetched>();
  let left = maxSizeBytes;
  for (const url of urls) {
    const response = await fetchImage(url, context, left);
    const type = response.contentType.split(';')[0]?.trim().toLowerCase() ?? '';
    if (response.status !== 200)
      throw new CheckError(`An image URL responded with status ${String(response.status)}.`);
    if (!TYPES.includes(type)) throw new CheckError('An image URL did not respond with an image.');
    left -= response.body.byteLength;
    images.set(url, { type, data: Buffer.from(response.body).toString('base64') });
  }
  return images;
}

async function fetchImage(
  url: string,
  { port, signal }: CheckContext,
  responseBytesMax: number,
): Promise<GuardrailResponse> {
  try {
    return await port.call({ url, method: 'GET', headers: {}, body: null, signal, responseBytesMax });
  } catch (error) {
    if (!(error instanceof ResponseTooLong)) throw error;
    throw new CheckError('The images of the request are larger together than maxSizeBytes.');
  }
}
