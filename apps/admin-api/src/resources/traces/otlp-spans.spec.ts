import { readCases } from '@gw/testing';
import { readOtlpSpans } from './otlp-spans';

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

const received = async (attributes: object[]) =>
  (
    await readOtlpSpans({
      resourceSpans: [
        {
          resource: { attributes },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: 'a'.repeat(32),
                  spanId: 'b'.repeat(16),
                  startTimeUnixNano: '1770000000000000000',
                  endTimeUnixNano: '1770000000005000000',
                  name: 'GET https://host.example/x?api_key=sk-CANARYPROVIDER0123456789',
                  status: { code: 2, message: 'refused: Bearer CANARYOAUTH0123456789' },
                  attributes,
                  events: [{ name: 'sent', timeUnixNano: '1770000000001000000', attributes }],
                },
              ],
            },
          ],
        },
      ],
    })
  ).spans;

describe('spans received over OTLP', () => {
  it('are stored without credentials, recognised by name and by form, at every position of a span', async () => {
    const { canaries } = readCases('secrets.json') as { canaries: { value: string }[] };
    const shaped = canaries
      .map(({ value }) => value)
      .filter((value) => /^(?:gw|vk|sk|hvs|AIza|eyJ|-----)/.test(value));
    expect(shaped.length).toBeGreaterThan(7);
    const spans = await received([
      ...shaped.map((value, at) => text(`note.${String(at)}`, `before ${value} after`)),
      text('http.request.header.authorization', 'Basic CANARYBASIC0123456789'),
      text('http.request.header.set-cookie', 'session=CANARYCOOKIE'),
      text('http.url', 'https://host.example/x?client_secret=CANARYQUERY'),
      { key: 'headers', value: { kvlistValue: { values: [text('x-api-key', 'CANARYHEADER')] } } },
      {
        key: 'http.request.header.proxy-authorization',
        value: { arrayValue: { values: [{ stringValue: 'CANARYLIST' }] } },
      },
      text('gen_ai.usage.output_tokens', '12'),
      text('model', 'gpt-4o'),
    ]);
    const stored = JSON.stringify(spans);
    for (const value of shaped) expect(stored).not.toContain(value);
    expect(stored).not.toContain('CANARY');
    expect(spans[0]?.attributes).toMatchObject({ 'gen_ai.usage.output_tokens': '12', model: 'gpt-4o' });
  });
});
