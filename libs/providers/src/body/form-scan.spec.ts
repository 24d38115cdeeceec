import { boundaryOf, formScan, spliceForm } from './form-scan';
import { demandOfFields, NO_DEMAND } from './output-demand';

const TYPE = 'multipart/form-data; boundary=XYZ';
const part = (head: string, value: string): string => `--XYZ\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const form = (...parts: readonly string[]): Buffer => Buffer.from(`${parts.join('')}--XYZ--\r\n`, 'latin1');
const FILE = part(
  'Content-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg',
  'ÿû\r\n\r\nname="model"\r\n',
);

describe('formScan', () => {
  it('finds the model before and after a file, whatever the file contains', () => {
    for (const body of [form(field('model', 'whisper-1'), FILE), form(FILE, field('model', 'whisper-1'))]) {
      const scan = formScan(body, TYPE);
      expect(scan).toMatchObject({ model: 'whisper-1', stream: null, isForm: true });
      const [start, end] = scan?.modelSpan ?? [0, 0];
      expect(body.toString('latin1', start, end)).toBe('whisper-1');
    }
    expect(formScan(form(field('model', 'm')), 'Multipart/Form-Data; charset=x; boundary="XYZ"')?.model).toBe(
      'm',
    );
  });

  it('finds the model in a form written by fetch', async () => {
    const data = new FormData();
    data.set('file', new Blob([Uint8Array.from([0, 255, 13, 10])]), 'a "b".mp3');
    data.set('model', '@slug/whisper-1');
    const request = new Request('http://gateway.invalid', { method: 'POST', body: data });
    const bytes = Buffer.from(await request.arrayBuffer());
    const scan = formScan(bytes, request.headers.get('content-type') ?? '');
    expect(scan?.model).toBe('@slug/whisper-1');
    const spliced = spliceForm(bytes, scan?.modelSpan ?? [0, 0], 'whisper-1');
    const read = await new Response(Uint8Array.from(spliced), { headers: request.headers }).formData();
    expect(read.get('model')).toBe('whisper-1');
    expect(Buffer.from(await (read.get('file') as File).arrayBuffer())).toEqual(
      Buffer.from([0, 255, 13, 10]),
    );
  });

  it('returns null for a body that is not a form, and no model if there is none', () => {
    expect(formScan(form(FILE), undefined)).toBeNull();
    expect(formScan(form(FILE), 'application/json')).toBeNull();
    expect(formScan(form(FILE), 'multipart/mixed; boundary=XYZ')).toBeNull();
    expect(formScan(form(FILE), TYPE)).toMatchObject({ model: null, isForm: true });
  });

  it.each<[string, Buffer]>([
    ['two models', form(field('model', 'a'), field('model', 'b'))],
    ['a name in other letters', form(field('model', 'a'), field('Model', 'b'))],
    [
      'a name without quotes',
      form(field('model', 'a'), part('Content-Disposition: form-data; name=model', 'b')),
    ],
    [
      'an extended name',
      form(field('model', 'a'), part(`Content-Disposition: form-data; name*=utf-8''model`, 'b')),
    ],
    ['an escaped name', form(field('model', 'a'), field('mod%65l', 'b'))],
    [
      'a folded head',
      form(field('model', 'a'), part('Content-Disposition: form-data;\r\n name="model"', 'b')),
    ],
    [
      'a head of line feeds',
      form(
        field('model', 'a'),
        part('Content-Disposition: form-data; name="x"\nContent-Disposition: form-data; name="model"', 'b'),
      ),
    ],
    [
      'two heads in one',
      form(
        part('Content-Disposition: form-data; name="model"\r\nContent-Disposition: form-data; name="x"', 'a'),
      ),
    ],
    [
      'an encoded part',
      form(part('Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: base64', 'YQ==')),
    ],
    ['no head', form(field('model', 'a'), part('X-Other: 1', 'b'))],
    ['an empty model', form(field('model', ''))],
    ['a model of two lines', form(field('model', 'a\nb'))],
    ['a long model', form(field('model', 'a'.repeat(1_025)))],
    ['text before the first part', Buffer.concat([Buffer.from('--XYZ \r\n'), form(field('model', 'a'))])],
    ['another boundary first', Buffer.concat([Buffer.from('\r\n'), form(field('model', 'a'))])],
    ['no end', form(field('model', 'a')).subarray(0, -8)],
    ['too many parts', form(field('model', 'a'), ...Array.from({ length: 300 }, () => field('x', '1')))],
  ])('reports no model for %s, which parsers could read differently', (_, body) => {
    expect(formScan(body, TYPE)).toEqual({
      model: null,
      stream: null,
      needsParse: false,
      modelSpan: null,
      output: expect.anything() as unknown,
      isForm: true,
    });
  });

  it('reports the output of every part that can be read, with and without a model', () => {
    expect(formScan(form(field('model', 'm'), field('n', '10')), TYPE)?.output.choices).toBe(10);
    expect(formScan(form(field('n', '10')), TYPE)).toMatchObject({ model: null, output: { choices: 10 } });
    expect(formScan(form(FILE), TYPE)?.output).toEqual(NO_DEMAND);
  });

  it('reports an amount as unread when it is too long, and all amounts of a form that it cannot read', () => {
    const unread = demandOfFields([['n', 'unread']]);
    expect(unread).toMatchObject({ unread: 'n', choices: 128 });
    const long = form(field('model', 'm'), field('n', `${'0'.repeat(70)}10`));
    expect(formScan(long, TYPE)).toMatchObject({ model: 'm', output: unread });
    expect(formScan(form(part('X-Other: 1', 'b')), TYPE)?.output).toEqual(unread);
  });
});

describe('boundaryOf', () => {
  it.each([
    ['multipart/form-data; boundary=A', 'A'],
    ['Multipart/Form-Data ; charset=utf-8; Boundary="a b" ;', 'a b'],
    ['multipart/form-data; boundary=----WebKitFormBoundary/0=?:', '----WebKitFormBoundary/0=?:'],
  ])('reads the boundary of %s', (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
    'multipart/mixed; boundary=A',
    'multipart/form-data, x; boundary=A',
    'multipart/form-data; x="; boundary=A;"; boundary=B',
    'multipart/form-data; boundary=A; boundary=B',
    'multipart/form-data; boundary=A; boundary=A',
    `multipart/form-data; boundary=A;boundary*=utf-8''B`,
    'multipart/form-data; boundary*0=A; boundary=B',
    'multipart/form-data; boundary="a\\b"',
    'multipart/form-data; boundary =A',
    'multipart/form-data; boundary=A (comment)',
    'multipart/form-data; junk; boundary=A',
  ])('returns null for %s, which parsers could read differently', (contentType) => {
    expect(boundaryOf(contentType)).toBeNull();
  });
});
