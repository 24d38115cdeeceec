import { readBody } from './read-body';

const response = (body: BodyInit, type: string): Response =>
  new Response(body, { headers: { 'content-type': type } });

describe('readBody', () => {
  it('returns a whole text, and other bodies in base64', async () => {
    expect(await readBody(response('Hé', 'text/plain'), 3)).toEqual({
      ...{ text: 'Hé', isText: true, bytes: 3, isCut: false },
    });
    expect(await readBody(response(new Uint8Array([255, 0, 1]), 'audio/mpeg'))).toEqual({
      ...{ text: '/wAB', isText: false, bytes: 3, isCut: false },
    });
    expect(await readBody(new Response(null, { status: 204 }))).toMatchObject({ text: '', bytes: 0 });
  });

  it('keeps the first bytes of a longer body without half a character, and counts all bytes', async () => {
    expect(await readBody(response('Hé!', 'application/json'), 2)).toEqual({
      ...{ text: 'H', isText: true, bytes: 4, isCut: true },
    });
    const parts = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of [255, 0, 1, 2]) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect(await readBody(response(parts, 'image/png'), 3)).toEqual({
      ...{ text: '/wAB', isText: false, bytes: 4, isCut: true },
    });
  });
});
