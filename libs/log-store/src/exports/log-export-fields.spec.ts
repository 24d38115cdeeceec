import { EXPORTED_COLUMNS } from '../rows/log-columns';
import { LOG_EXPORT_FIELDS } from './log-export-fields';

describe('LOG_EXPORT_FIELDS', () => {
  it('keeps the order of the first 20 fields, on which readers of existing files rely', () => {
    expect(LOG_EXPORT_FIELDS.slice(0, 20)).toEqual([
      ...['id', 'trace_id', 'created_at', 'request', 'response', 'is_success', 'ai_org', 'ai_model'],
      ...['req_units', 'res_units', 'total_units', 'request_url', 'cost', 'cost_currency', 'response_time'],
      ...['response_status_code', 'mode', 'config', 'prompt_slug', 'metadata'],
    ]);
  });

  it('has a unique name and a unique position for each column', () => {
    expect(new Set(LOG_EXPORT_FIELDS).size).toBe(LOG_EXPORT_FIELDS.length);
    expect(new Set(EXPORTED_COLUMNS.map(({ place }) => place)).size).toBe(EXPORTED_COLUMNS.length);
  });
});
