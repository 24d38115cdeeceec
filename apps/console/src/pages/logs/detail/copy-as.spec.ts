import { FALLBACK_LOG } from '../spec-support/logs';
import { curlOf, incidentOf, sdkOf } from './copy-as';

const GATEWAY = 'http://127.0.0.1:8787';
const body = (value: unknown, change: object = {}) => ({
  content_type: 'application/json',
  bytes: 10,
  truncated: false,
  encoding: 'json' as const,
  body: value,
  ...change,
});

describe('copying a log', () => {
  it('formats a curl command with a safely quoted body', () => {
    const text = curlOf(FALLBACK_LOG, body({ content: "it's $(id) `id`" }), GATEWAY);
    expect(text).toBe(
      [
        "curl 'http://127.0.0.1:8787/v1/chat/completions' \\",
        '  -H "authorization: Bearer $TOLLGATE_KEY" \\',
        "  -H 'content-type: application/json' \\",
        String.raw`  --data-raw '{"content":"it'\''s $(id) ` + '`id`"}\'',
      ].join('\n'),
    );
  });

  it('formats a call of the SDK, and returns null for a route without one', () => {
    const text = sdkOf({ ...FALLBACK_LOG, config_id: 'chat' }, body({ model: 'm' }), GATEWAY);
    expect(text).toContain('client.chat.completions.create({\n  "model": "m"\n}');
    expect(text).toContain(`{ headers: { 'x-gw-config': "chat" } }`);
    expect(sdkOf({ ...FALLBACK_LOG, route: 'passthrough' }, body({}), GATEWAY)).toBeNull();
  });

  it('returns null when the body is truncated or not text', () => {
    expect(curlOf(FALLBACK_LOG, body({}, { truncated: true }), GATEWAY)).toBeNull();
    expect(sdkOf(FALLBACK_LOG, body({}, { truncated: true }), GATEWAY)).toBeNull();
    expect(curlOf(FALLBACK_LOG, body('AAAA', { encoding: 'base64' }), GATEWAY)).toBeNull();
  });

  it('formats an incident report with ids, times and causes, without metadata or bodies', () => {
    const text = incidentOf(FALLBACK_LOG, 'https://console.example/w/search/logs/1');
    expect(text).toContain(FALLBACK_LOG.id);
    expect(text).toContain('Answered by the second target.');
    expect(text).toMatch(/\| sandbox targets\[0\] · first try \| .* \| 503 after/);
    expect(text).not.toContain('team');
  });
});
