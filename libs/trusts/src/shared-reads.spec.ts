import { sharedReads } from './shared-reads';

describe('reads of one URL by many', () => {
  let time = 0;
  const requested: string[] = [];
  const read = sharedReads(
    (url) => {
      requested.push(url);
      return url.includes('down')
        ? Promise.reject(new Error('down'))
        : Promise.resolve(`${url} ${String(time)}`);
    },
    { sizeOf: ({ length }) => length, now: () => time },
  );
  beforeEach(() => requested.splice(0));

  it('ask once for all who ask at once or within ten seconds', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => read('https://a.example')));
    expect([new Set(answers).size, requested.length]).toEqual([1, 1]);
    time = 9_999;
    expect(await read('https://a.example')).toBe('https://a.example 0');
    time = 10_001;
    expect(await read('https://a.example')).toBe('https://a.example 10001');
    expect(requested.length).toBe(2);
  });

  it('keep a failure as long as an answer', async () => {
    for (let count = 0; count < 5; count += 1)
      await expect(read('https://down.example')).rejects.toThrow('down');
    expect(requested.length).toBe(1);
    time += 10_001;
    await expect(read('https://down.example')).rejects.toThrow('down');
    expect(requested.length).toBe(2);
  });
});
