import { isObject, jsonSize, type JsonSize } from '@gw/kernel';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { OpenApiFault } from './document';

/** Bounds of the text of a document. Commas are those between members and items. */
export const OPENAPI_BOUNDS = {
  bytesMax: 5_242_880,
  /** YAML takes longer to read than JSON of the same length. */
  yamlBytesMax: 1_048_576,
  depthMax: 100,
  commasMax: 500_000,
  membersOfOneMax: 10_000,
} as const;

const { bytesMax, yamlBytesMax, depthMax, commasMax, membersOfOneMax } = OPENAPI_BOUNDS;
const BYTE_ORDER_MARK = '\ufeff';
const ALIASES_MAX = 1_000;

/**
 * Parses the text of an OpenAPI document, JSON of at most 5 MiB or YAML 1.2 of at most 1 MiB. Both are
 * bounded in depth and in the number of their values, also after aliases are resolved. Throws an
 * `OpenApiFault` for other texts.
 */
export function readOpenApiText(text: string): unknown {
  const bytes = Buffer.from(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (bytes.length > bytesMax)
    throw new OpenApiFault(`The document is larger than ${String(bytesMax)} bytes.`);
  return /^\s*[{[]/.test(text.slice(0, 1_024)) ? readJson(bytes) : readYaml(bytes);
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

function readYaml(bytes: Buffer): unknown {
  if (bytes.length > yamlBytesMax)
    throw new OpenApiFault(
      `A document in YAML has at most ${String(yamlBytesMax)} bytes; convert it to JSON.`,
    );
  let parsed: unknown;
  try {
    parsed = load(bytes.toString('utf8'), {
      schema: CORE_SCHEMA,
      maxDepth: depthMax,
      maxAliases: ALIASES_MAX,
    });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new OpenApiFault(`The document is neither JSON nor YAML: ${error.reason.slice(0, 200)}.`);
  }
  let left: number = commasMax;
  const count = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > depthMax) throw tooLarge();
    if (Array.isArray(value)) for (const each of value) count(each, depth + 1);
    else if (isObject(value)) for (const each of membersOf(value)) count(each, depth + 1);
  };
  count(parsed, 0);
  return parsed;
}

function membersOf(value: object): readonly unknown[] {
  const members = Object.values(value);
  if (members.length > membersOfOneMax) throw tooLarge();
  return members;
}

const tooLarge = (): OpenApiFault =>
  new OpenApiFault(
    `The document has more than ${String(depthMax)} levels, ${String(commasMax)} values or ` +
      `${String(membersOfOneMax)} members in one object.`,
  );
