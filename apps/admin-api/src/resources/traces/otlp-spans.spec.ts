import { readCases } from '@gw/testing';
import { readOtlpSpans } from './otlp-spans';

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

const spansWith = async (attributes: object[]) =>
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

describe('readOtlpSpans', () => {
  it('redacts credentials by name and by form in names, status messages, attributes and events', async () => {
    const { canaries } = readCases('secrets.json') as { canaries: { value: string }[] };
    const shaped = canaries
      .map(({ value }) => value)
      .filter((value) => /^(?:gw|vk|sk|hvs|AIza|eyJ|-----)/.test(value));
    expect(shaped.length).toBeGreaterThan(7);
    const spans = await spansWith([
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
    const json = JSON.stringify(spans);
    for (const value of shaped) expect(json).not.toContain(value);
    expect(json).not.toContain('CANARY');
    expect(spans[0]?.attributes).toMatchObject({ 'gen_ai.usage.output_tokens': '12', model: 'gpt-4o' });
  });

  it('redacts credentials in names of attributes, in bytes, in text where a number is due, and across a cut', async () => {
    const secret = 'sk-CANARYPROVIDER0123456789';
    const [span] = await spansWith([
      text(`note.${secret}`, 'x'),
      { key: 'int', value: { intValue: secret } },
      { key: 'double', value: { doubleValue: secret } },
      { key: 'bytes', value: { bytesValue: Buffer.from(`key ${secret}`) } },
      { key: 'base64', value: { bytesValue: Buffer.from(`key ${secret}`).toString('base64') } },
      { key: 'text', value: { bytesValue: secret } },
      text('long', `${'x'.repeat(4_080)} ${secret}`),
      { key: 'big', value: { intValue: '9223372036854775807' } },
      { key: 'half', value: { doubleValue: '0.5' } },
      { key: 'raw', value: { bytesValue: Buffer.from([1, 2, 3]) } },
    ]);
    const json = JSON.stringify(span);
    expect(json).not.toContain('CANARY');
    expect(json).not.toContain('sk-C');
    expect(json).not.toContain(Buffer.from('CANARY').toString('base64').slice(0, 6));
    expect(span?.attributes).toMatchObject({
      ...{ int: null, double: null, bytes: '[redacted]', base64: '[redacted]', text: '[redacted]' },
      ...{ big: '9223372036854775807', half: '0.5', raw: 'AQID' },
    });
  });

  it('throws when the attributes of resources, repeated for each span, exceed 16 Mi characters', async () => {
    const resource = { attributes: [text('notes', 'x'.repeat(4_000))] };
    const read = (count: number) => {
      const spans = Array.from({ length: count }, (_, n) => ({
        traceId: 'a'.repeat(32),
        spanId: String(n + 1).padStart(16, '0'),
        startTimeUnixNano: '1770000000000000000',
        endTimeUnixNano: '1770000000005000000',
      }));
      return readOtlpSpans({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    };
    expect((await read(4_000)).spans).toHaveLength(4_000);
    await expect(read(4_500)).rejects.toMatchObject({ type: 'body_too_large' });
  });
});
