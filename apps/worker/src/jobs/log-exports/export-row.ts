import { isSuccess } from '@gw/contracts';
import type { ExportedLog, LogBodies, LogExportField } from '@gw/log-store';
import { isUtf8 } from 'node:buffer';
import type { ExportRow } from './export-format';

/** 1e-8 USD in a US cent. */
const UNITS_PER_CENT = 1_000_000;

type Read = (log: ExportedLog, bodies: LogBodies) => unknown;

const VALUES: Readonly<Record<LogExportField, Read>> = {
  id: ({ id }) => id,
  trace_id: ({ trace_id }) => trace_id,
  created_at: ({ created_at }) => created_at,
  request: (_, { request }) => readable(request),
  response: (_, { response }) => readable(response),
  is_success: isSuccess,
  ai_org: ({ provider }) => provider,
  ai_model: ({ model }) => model,
  req_units: ({ input_tokens }) => numberOf(input_tokens),
  res_units: ({ output_tokens }) => numberOf(output_tokens),
  total_units: ({ total_tokens }) => numberOf(total_tokens),
  request_url: ({ url }) => url,
  cost: ({ cost }) => (cost === null ? null : Number(cost) / UNITS_PER_CENT),
  cost_currency: () => 'USD',
  response_time: ({ duration_ms }) => duration_ms,
  response_status_code: ({ status }) => status,
  mode: ({ strategy }) => strategy,
  config: ({ config_id }) => config_id,
  prompt_slug: ({ prompt_slug }) => prompt_slug,
  metadata: ({ metadata }) => metadata,
};

export const exportRow = (fields: readonly string[], log: ExportedLog, bodies: LogBodies): ExportRow =>
  Object.fromEntries(fields.map((field) => [field, VALUES[field as LogExportField](log, bodies)]));

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** JSON as a value, other text as text, the rest in base64. */
function readable(body: Buffer | null): unknown {
  if (body === null) return null;
  if (!isUtf8(body)) return body.toString('base64');
  const text = body.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
