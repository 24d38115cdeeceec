import { EXPORTED_COLUMNS } from '../rows/log-columns';
import { LOG_EXPORT_FIELDS } from './log-export-fields';

describe('LOG_EXPORT_FIELDS', () => {
  it('keeps the order that files have had, so that readers find each column where it was', () => {
    expect(LOG_EXPORT_FIELDS.slice(0, 20)).toEqual([
      ...['id', 'trace_id', 'created_at', 'request', 'response', 'is_success', 'ai_org', 'ai_model'],
      ...['req_units', 'res_units', 'total_units', 'request_url', 'cost', 'cost_currency', 'response_time'],
      ...['response_status_code', 'mode', 'config', 'prompt_slug', 'metadata'],
    ]);
  });

  it('gives each declared column a name and a place of its own', () => {
    expect(new Set(LOG_EXPORT_FIELDS).size).toBe(LOG_EXPORT_FIELDS.length);
    expect(new Set(EXPORTED_COLUMNS.map(({ place }) => place)).size).toBe(EXPORTED_COLUMNS.length);
  });
});
