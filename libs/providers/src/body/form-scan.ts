import { demandOfFields, NO_DEMAND, type OutputDemand } from './output-demand';
import type { ShallowScan } from './shallow-scan';

const BOUNDARY = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"\r\n]{1,70})"|([^";,\s]{1,70}))\s*(?:;|$)/i;
/** The one spelling that all parsers read alike. */
const DISPOSITION = /^content-disposition: form-data; name="([^"\\%\r\n]*)"(?:; filename="([^"\r\n]*)")?$/i;
const VALUE = /^[\x20-\x7e]{1,1024}$/;
/** A longer value is not an amount, and the provider refuses it. */
const DEMAND_BYTES_MAX = 64;
/** Maximum parts of one form. */
export const PARTS_MAX = 256;
/** Maximum bytes of a part's head. */
export const PART_HEAD_MAX = 2_048;
/** Bytes from the start of a part that a scan reads. */
export const PART_BYTES_MAX = 4_096;

const DOUBT: ShallowScan = {
  model: null,
  stream: null,
  needsParse: false,
  modelSpan: null,
  output: NO_DEMAND,
  isForm: true,
};

/**
 * Reads the field `model` of a multipart form without decoding it; null when the body is not a
 * form.
 * Where two parsers could differ, no model is reported: a second `model`, an unusual spelling of a
 * part's head, text before the first part.
 */
export function formScan(body: Buffer, contentType: string | undefined): ShallowScan | null {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return null;
  const opening = Buffer.from(`--${boundary}`, 'latin1');
  if (!body.subarray(0, opening.length).equals(opening)) return DOUBT;
  const parts = partsOf(body, opening.length, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  const models = parts?.filter(({ name }) => name === 'model') ?? [];
  const [model] = models;
  if (models.length !== 1 || !model) return DOUBT;
  const value = body.toString('latin1', model.start, model.end);
  if (!VALUE.test(value)) return DOUBT;
  return { ...DOUBT, model: value, modelSpan: [model.start, model.end], output: demandIn(body, parts ?? []) };
}

const demandIn = (body: Buffer, parts: readonly Part[]): OutputDemand =>
  demandOfFields(
    parts
      .filter(({ start, end }) => end - start <= DEMAND_BYTES_MAX)
      .map(({ name, start, end }) => [name, body.toString('latin1', start, end)]),
  );

/**
 * Returns the boundary of a multipart form; null when the type is not a form or spells the boundary
 * in an unusual way.
 */
export const boundaryOf = (contentType: string | undefined): string | null => {
  const matched = contentType === undefined ? null : BOUNDARY.exec(contentType);
  return matched?.[1] ?? matched?.[2] ?? null;
};

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
