import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadSecrets } from './secrets';
import { StartError } from './start-error';

describe('loadSecrets', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-secrets-'));
    path = join(folder, 'secrets.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('creates secrets once, in a file that only its owner can read', () => {
    const made = loadSecrets(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadSecrets(path)).toEqual({ ...made, encryptionKeysPrevious: [] });
  });

  it('reads earlier keys that a person added', () => {
    writeFileSync(path, JSON.stringify({ ...loadSecrets(path), encryptionKeysPrevious: ['older'] }));
    expect(loadSecrets(path).encryptionKeysPrevious).toEqual(['older']);
  });

  it('names the code of the system for a file that cannot be opened, and does not call it damaged', () => {
    mkdirSync(path);
    expect(() => loadSecrets(path)).toThrow(StartError);
    expect(() => loadSecrets(path)).toThrow('cannot be opened (EISDIR)');
    expect(() => loadSecrets(path)).not.toThrow('JSON');
  });

  it.each([
    ['{', 'cannot be read as JSON; restore it'],
    ['null', 'is not a JSON object; restore it'],
    ['[]', 'is not a JSON object; restore it'],
    ['{}', 'lacks a secret; restore it'],
    ['{"encryptionKey":5,"serviceToken":"b","postgresPassword":"c"}', 'lacks a secret; restore it'],
    ...['"a"', 'null', '[5]', '[""]'].map((previous) => [
      `{"encryptionKey":"a","serviceToken":"b","postgresPassword":"c","encryptionKeysPrevious":${previous}}`,
      'must be a list of keys',
    ]),
  ])('refuses the content %s', (content, message) => {
    writeFileSync(path, content);
    expect(() => loadSecrets(path)).toThrow(StartError);
    expect(() => loadSecrets(path)).toThrow(message);
  });
});
