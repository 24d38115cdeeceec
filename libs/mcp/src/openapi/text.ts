import { jsonSize, type JsonSize } from '@gw/kernel';
import { OpenApiFault } from './document';

/** Bounds of the text of a document. `commas` counts the commas between members and items. */
export const OPENAPI_BOUNDS = {
  bytesMax: 5_242_880,
  /** Smaller than for JSON, because YAML of the same length takes longer to parse. */
  yamlBytesMax: 1_048_576,
  depthMax: 100,
  commasMax: 500_000,
  membersOfOneMax: 10_000,
  /** Maximum number of aliases in a YAML document. */
  aliasesMax: 1_000,
} as const;

const { bytesMax, yamlBytesMax, depthMax, commasMax, membersOfOneMax } = OPENAPI_BOUNDS;
const BYTE_ORDER_MARK = '\ufeff';

/** Converts YAML 1.2 to JSON within the bounds. Rejects with an `OpenApiFault` for other texts. */
export type YamlReader = (text: string) => Promise<Buffer>;

/**
 * Parses the text of an OpenAPI document, JSON of at most 5 MiB or YAML 1.2 of at most 1 MiB. Both
 * are bounded in depth and in the number of their values, also after aliases are resolved. Rejects
 * with an `OpenApiFault` for other texts. `readYaml` is a parameter because YAML must be parsed
 * outside the thread that serves requests.
 */
export async function readOpenApiText(text: string, readYaml: YamlReader): Promise<unknown> {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const bytes = Buffer.from(plain);
  if (bytes.length > bytesMax) throw tooManyBytes();
  if (/^\s*[{[]/.test(text.slice(0, 1_024))) return readJson(bytes);
  if (bytes.length > yamlBytesMax)
    throw new OpenApiFault(
      `A document in YAML has at most ${String(yamlBytesMax)} bytes; convert it to JSON.`,
    );
  const json = await readYaml(plain);
  if (json.length > bytesMax) throw tooManyBytes();
  return readJson(json);
}

const isTooLarge = ({ depth, commas, membersOfOne }: JsonSize): boolean =>
  depth > depthMax || commas > commasMax || membersOfOne > membersOfOneMax;

function readJson(bytes: Buffer): unknown {
  if (isTooLarge(jsonSize(bytes, isTooLarge))) throw tooLarge();
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new OpenApiFault('The document begins like JSON and is none.');
  }
}

const tooManyBytes = (): OpenApiFault =>
  new OpenApiFault(`The document is larger than ${String(bytesMax)} bytes.`);

const tooLarge = (): OpenApiFault =>
  new OpenApiFault(
    `The document has more than ${String(depthMax)} levels, ${String(commasMax)} values or ` +
      `${String(membersOfOneMax)} members in one object.`,
  );
