import { startProduct } from '@gw/testing';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPENAI_CHAT } from '../spec-support/fake-openai';
import { withProduct } from '../spec-support/workbench';

interface StoredSecrets {
  readonly encryptionKey: string;
  readonly encryptionKeysPrevious?: readonly string[];
}

describe('master key', () => {
  const bench = withProduct();
  const path = (): string => join(bench().product.dataDir, 'secrets.json');
  const read = (): StoredSecrets => JSON.parse(readFileSync(path(), 'utf8')) as StoredSecrets;
  const write = (changes: StoredSecrets): void => {
    writeFileSync(path(), JSON.stringify({ ...read(), ...changes }));
  };

  it('can be replaced while keys and credentials of the earlier key keep working', async () => {
    const stub = await bench().stub();
    stub.respondJson(OPENAI_CHAT);
    await bench().provider({ slug: 'saved', type: 'openai', stub, apiKey: 'sk-of-before' });
    const { encryptionKey } = read();
    const next = randomBytes(32).toString('base64');
    write({ encryptionKey: next, encryptionKeysPrevious: [encryptionKey] });
    await bench().restartProduct();
    expect((await bench().chat({ 'x-gw-provider': '@saved' })).status).toBe(200);
    expect(stub.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-of-before');
    const { key } = await bench().newKey();
    expect((await bench().chat({ 'x-gw-provider': '@saved' }, { key })).status).toBe(200);
  });

  it('fails the start with its name if it is wrong, instead of refusing every key', async () => {
    const { dataDir } = bench().product;
    const { encryptionKey, encryptionKeysPrevious = [] } = read();
    await bench().product.stop({ keepData: true });
    write({ encryptionKey: randomBytes(32).toString('base64'), encryptionKeysPrevious: [] });
    await expect(startProduct({ dataDir })).rejects.toThrow(
      'ENCRYPTION_KEY does not open the data of this installation',
    );
    write({ encryptionKey, encryptionKeysPrevious });
    await bench().restartProduct();
    expect((await bench().chat({ 'x-gw-provider': '@saved' })).status).toBe(200);
  });
});
