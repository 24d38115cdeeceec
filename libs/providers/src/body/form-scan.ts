import { demandOfFields, NO_DEMAND, type OutputDemand } from './output-demand';
import type { ShallowScan } from './shallow-scan';

const BOUNDARY = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"\r\n]{1,70})"|([^";,\s]{1,70}))\s*(?:;|$)/i;
/** The one spelling that all readers read alike. */
const DISPOSITION = /^content-disposition: form-data; name="([^"\\%\r\n]*)"(?:; filename="([^"\r\n]*)")?$/i;
const VALUE = /^[\x20-\x7e]{1,1024}$/;
/** A longer value is no amount, and its provider refuses it. */
const DEMAND_BYTES_MAX = 64;
/** Of one form. */
export const PARTS_MAX = 256;
/** Bytes of the head of a part. */
export const PART_HEAD_MAX = 2_048;
/** From the beginning of a part on, in bytes: a scan reads nothing behind it. */
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
 * Reads the field `model` of a multipart form without decoding it; null when the body is none. Wherever two readers could
 * differ, no model is reported: a second `model`, an unusual spelling of a part's head, text before the first part.
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

/** Of a multipart form; null: it is none, or says its boundary in a way of its own. */
export const boundaryOf = (contentType: string | undefined): string | null => {
  const matched = contentType === undefined ? null : BOUNDARY.exec(contentType);
  return matched?.[1] ?? matched?.[2] ?? null;
};

interface Part {
  readonly name: string;
  /** Place of its value: `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** All parts, or null when there is one that readers could take differently. `from` is behind the first boundary. */
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
    // A part without a value may end where its head does.
    parts.push({ name, start: headEnd + 4, end: Math.max(end, headEnd + 4) });
    at = end + delimiter.length;
  }
  return null;
}

/** The field's name in lower case; null when the head says it in a way of its own. */
function nameOf(body: Buffer, start: number, end: number): string | null {
  const head = readPartHead(body.toString('latin1', start, end));
  const name = head?.name.trim().toLowerCase() ?? null;
  return name === 'model' && head?.name !== 'model' ? null : name;
}

/** The head of one part of a form; `filename` null: it is a field. */
export interface PartHead {
  readonly name: string;
  readonly filename: string | null;
}

/** `head`: its lines in Latin-1, without the empty one. Null when it says its name in a way that readers could take differently. */
export function readPartHead(head: string): PartHead | null {
  const lines = head.split('\r\n');
  const dispositions = lines.filter((line) => /^content-disposition/i.test(line));
  const matched = dispositions.length === 1 ? DISPOSITION.exec(dispositions[0] ?? '') : null;
  const isOdd = lines.some((line) => /^\s|[\r\n]|^content-transfer-encoding/i.test(line));
  return matched === null || isOdd ? null : { name: matched[1] ?? '', filename: matched[2] ?? null };
}

/** The same form with another model. `span` is `modelSpan` of a scan of these bytes. */
export const spliceForm = (
  body: Buffer,
  span: readonly [start: number, end: number],
  model: string,
): Buffer => Buffer.concat([body.subarray(0, span[0]), Buffer.from(model, 'utf8'), body.subarray(span[1])]);
