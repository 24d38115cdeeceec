import { sharedReads } from './shared-reads';

describe('sharedReads', () => {
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

  it('reads a URL once for all requests within ten seconds', async () => {
    const responses = await Promise.all(Array.from({ length: 1_000 }, () => read('https://a.example')));
    expect([new Set(responses).size, requested.length]).toEqual([1, 1]);
    time = 9_999;
    expect(await read('https://a.example')).toBe('https://a.example 0');
    time = 10_001;
    expect(await read('https://a.example')).toBe('https://a.example 10001');
    expect(requested.length).toBe(2);
  });

  it('reuses a failure for ten seconds', async () => {
    for (let count = 0; count < 5; count += 1)
      await expect(read('https://down.example')).rejects.toThrow('down');
    expect(requested.length).toBe(1);
    time += 10_001;
    await expect(read('https://down.example')).rejects.toThrow('down');
    expect(requested.length).toBe(2);
  });
});
