import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialsFile } from './credentials-file';

const ADDRESSES = { base_url: 'http://127.0.0.1:8787/v1', admin_url: 'http://127.0.0.1:8788' };
const CREATED = {
  api_key: 'key',
  admin_api_key: 'admin-key',
  organisation_id: 'organisation',
  workspace_id: 'workspace',
  workspace_slug: 'default',
  owner_email: 'owner@example.com',
  owner_password: 'password',
};

describe('CredentialsFile', () => {
  let folder: string;
  let path: string;
  let file: CredentialsFile;
  const contentOf = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8'));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credentials-file-'));
    path = join(folder, 'credentials.json');
    file = new CredentialsFile(path, ADDRESSES);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('creates a file that only its owner can read', async () => {
    await file.create(CREATED);
    expect(await contentOf('credentials.json')).toEqual({ ...ADDRESSES, ...CREATED });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['credentials.json']);
  });

  it('keeps an existing file under the id of its organisation', async () => {
    const earlier = { ...ADDRESSES, ...CREATED, organisation_id: 'earlier' };
    await writeFile(path, JSON.stringify(earlier));
    await file.create(CREATED);
    expect(await contentOf('credentials.json.earlier')).toEqual(earlier);
    expect(await contentOf('credentials.json')).toMatchObject({ organisation_id: 'organisation' });
  });

  it.each([
    ['from which a user deleted the password', JSON.stringify({ ...CREATED, owner_password: undefined })],
    ['that is not JSON', 'api_key: key'],
  ])('keeps an existing file %s, because it may contain keys', async (_case, text) => {
    await writeFile(path, text);
    await file.create(CREATED);
    expect(await contentOf('credentials.json')).toMatchObject(CREATED);
    const [kept = ''] = (await readdir(folder)).filter((name) => name !== 'credentials.json');
    expect(await readFile(join(folder, kept), 'utf8')).toBe(text);
  });

  it('updates the addresses of its organisation only', async () => {
    await new CredentialsFile(path, { base_url: 'http://old', admin_url: 'http://old' }).create(CREATED);
    expect(await file.refresh('other')).toBe(false);
    expect(await contentOf('credentials.json')).toMatchObject({ base_url: 'http://old' });
    expect(await file.refresh('organisation')).toBe(true);
    expect(await contentOf('credentials.json')).toEqual({ ...ADDRESSES, ...CREATED });
  });
});
