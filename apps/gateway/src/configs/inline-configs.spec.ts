import { Configs } from './configs';
import type { Documents } from '../auth/documents';

describe('inline configs', () => {
  const documents = { get: () => undefined, load: () => Promise.resolve(null) } as unknown as Documents;
  const text = (name: string): string =>
    JSON.stringify({ provider: 'openai', override_params: { user: name.padEnd(20_000, 'x') } });

  it('gives each workspace its own share of memory, so that many configs of one do not evict those of another', () => {
    const configs = new Configs(documents, {});
    const kept = configs.fromText('quiet', text('quiet'));
    let most = 0;
    for (let count = 0; count < 400; count++) {
      configs.fromText('loud', text(String(count)));
      most = Math.max(most, configs.inlineBytesOf('loud'));
    }
    expect(most).toBeLessThanOrEqual(16 * 1_048_576);
    expect(most).toBeGreaterThan(8 * 1_048_576);
    expect(configs.fromText('quiet', text('quiet'))).toBe(kept);
    expect(configs.fromText('loud', text('399'))).toBe(configs.fromText('loud', text('399')));
  });

  it('bounds the memory of all workspaces together', () => {
    const configs = new Configs(documents, {});
    for (let workspace = 0; workspace < 20; workspace++) {
      for (let count = 0; count < 15; count++) configs.fromText(`w${String(workspace)}`, text(String(count)));
    }
    const sum = Array.from({ length: 20 }, (_, at) => configs.inlineBytesOf(`w${String(at)}`));
    expect(sum.reduce((all, bytes) => all + bytes, 0)).toBeLessThanOrEqual(64 * 1_048_576);
    expect(sum[0]).toBe(0);
  });
});
