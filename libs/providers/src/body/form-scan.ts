import { demandOfFields, type OutputDemand } from './output-demand';
import type { ShallowScan } from './shallow-scan';

/**
 * A parameter of a content type: its name and its value, quoted or plain, in a spelling that all
 * parsers read alike.
 */
const PARAMETER = /^([!#$%&'+.^`|~\w-]+)=(?:"([^"\\]*)"|([^"\\,\s]*))$/;
const BOUNDARY_LENGTH_MAX = 70;
/** Matches the one spelling of a content disposition that all parsers read alike. */
const DISPOSITION = /^content-disposition: form-data; name="([^"\\%\r\n]*)"(?:; filename="([^"\r\n]*)")?$/i;
const VALUE = /^[\x20-\x7e]{1,1024}$/;
/** Maximum bytes of a value that is read as an amount. */
const DEMAND_BYTES_MAX = 64;
const TOO_LONG = 'too long';
/** Maximum parts of one form. */
export const PARTS_MAX = 256;
/** Maximum bytes of a part's head. */
export const PART_HEAD_MAX = 2_048;
/** Bytes from the start of a part that a scan may need: its head and the longest model. */
export const PART_BYTES_MAX = 4_096;

/**
 * Result for a form that parsers could read differently: no model, and an unknown number of
 * outputs.
 */
const DOUBT: ShallowScan = {
  model: null,
  stream: null,
  needsParse: false,
  modelSpan: null,
  output: demandOfFields([['n', 'unread']]),
  isForm: true,
};

/**
 * Reads the field `model` of a multipart form without decoding it; null when the body is not a
 * form.
 * Where two parsers could differ, no model is reported: a second `model`, an unusual spelling of a
 * part's head, text before the first part. The output demand of the parts that can be read is
 * reported even without a model.
 */
export function formScan(body: Buffer, contentType: string | undefined): ShallowScan | null {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return null;
  const opening = Buffer.from(`--${boundary}`, 'latin1');
  if (!body.subarray(0, opening.length).equals(opening)) return DOUBT;
  const parts = partsOf(body, opening.length, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  if (parts === null) return DOUBT;
  const output = demandIn(body, parts);
  const models = parts.filter(({ name }) => name === 'model');
  const [model] = models;
  if (models.length !== 1 || !model) return { ...DOUBT, output };
  const value = body.toString('latin1', model.start, model.end);
  if (!VALUE.test(value)) return { ...DOUBT, output };
  return { ...DOUBT, model: value, modelSpan: [model.start, model.end], output };
}

const demandIn = (body: Buffer, parts: readonly Part[]): OutputDemand =>
  demandOfFields(
    parts.map(({ name, start, end }) => [
      name,
      end - start <= DEMAND_BYTES_MAX ? body.toString('latin1', start, end) : TOO_LONG,
    ]),
  );

/**
 * Returns the boundary of a multipart form; null when the type is not a form or spells the boundary
 * in an unusual way.
 */
export function boundaryOf(contentType: string | undefined): string | null {
  const [type = '', ...rest] = contentType?.split(';').map((part) => part.trim()) ?? [];
  if (type.toLowerCase() !== 'multipart/form-data') return null;
  const parameters = rest.filter((part) => part !== '').map(parameterOf);
  // A quoted value with a semicolon was split, so that its pieces are no parameters.
  if (parameters.includes(null)) return null;
  const [boundary, second] = parameters.flatMap((parameter) =>
    parameter?.name === 'boundary' ? [parameter.value] : [],
  );
  if (boundary === undefined || second !== undefined) return null;
  return boundary.length > 0 && boundary.length <= BOUNDARY_LENGTH_MAX ? boundary : null;
}

function parameterOf(text: string): { readonly name: string; readonly value: string } | null {
  const [, name, quoted, plain] = PARAMETER.exec(text) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), value: quoted ?? plain ?? '' };
}

interface Part {
  readonly name: string;
  /** Position of its value: `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns all parts; null when parsers could read one of them differently. `from` is the index
 * after the first boundary.
 */
function partsOf(body: Buffer, from: number, delimiter: Buffer): readonly Part[] | null {
  const parts: Part[] = [];
  let at = from;
  while (parts.length <= PARTS_MAX) {
    const mark = body.toString('latin1', at, at + 2);
    if (mark === '--') return parts;
    if (mark !== '\r\n') return null;
    const headEnd = body.indexOf('\r\n\r\n', at);
    if (headEnd === -1 || headEnd - at > PART_HEAD_MAX) return null;
    const end = body.indexOf(delimiter, headEnd + 2);
    const name = nameOf(body, at + 2, headEnd);
    if (end === -1 || name === null) return null;
    // A part without a value may end where its head ends.
    parts.push({ name, start: headEnd + 4, end: Math.max(end, headEnd + 4) });
    at = end + delimiter.length;
  }
  return null;
}

/** Returns the field's name in lower case; null when the head is spelled in an unusual way. */
function nameOf(body: Buffer, start: number, end: number): string | null {
  const head = readPartHead(body.toString('latin1', start, end));
  const name = head?.name.trim().toLowerCase() ?? null;
  return name === 'model' && head?.name !== 'model' ? null : name;
}

/** The head of one part of a form. `filename` is null for a field. */
export interface PartHead {
  readonly name: string;
  readonly filename: string | null;
}

/**
 * Reads the head of a part. `head` is its lines in Latin-1, without the empty one. Returns null
 * when parsers could read its name differently.
 */
export function readPartHead(head: string): PartHead | null {
  const lines = head.split('\r\n');
  const dispositions = lines.filter((line) => /^content-disposition/i.test(line));
  const matched = dispositions.length === 1 ? DISPOSITION.exec(dispositions[0] ?? '') : null;
  const isOdd = lines.some((line) => /^\s|[\r\n]|^content-transfer-encoding/i.test(line));
  return matched === null || isOdd ? null : { name: matched[1] ?? '', filename: matched[2] ?? null };
}

/** Returns the same form with another model. `span` is the `modelSpan` of a scan of these bytes. */
export const spliceForm = (
  body: Buffer,
  span: readonly [start: number, end: number],
  model: string,
): Buffer => Buffer.concat([body.subarray(0, span[0]), Buffer.from(model, 'utf8'), body.subarray(span[1])]);
