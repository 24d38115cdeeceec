import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf } from '../api';
import { PAGES } from '../pages';
import { FIRST_PATHS } from './begun';
import { firstPage } from './first-page';

describe('firstPage', () => {
  it.each([
    ['/console/', 'home'],
    ['/console/w/search', 'home'],
    ['/console/w/search/', 'home'],
    ['/console/w/search/logs', 'logs'],
    ['/console/w/search/logs/01a2', ''],
    ['/console/org/audit', 'audit'],
    ['/console/me/keys', ''],
  ])('returns for %s the folder "%s"', (path, page) => {
    expect(firstPage('/console/', path)).toBe(page);
  });

  it.each(['claim', 'login/sso', 'login', 'invite/token'])(
    'returns null for %s, which opens a session',
    (path) => {
      expect(firstPage('/tools/gate/', `/tools/gate/${path}`)).toBeNull();
    },
  );

  it('returns null for the link of the launcher', () => {
    expect(firstPage('/console/', '/console/', '#claim=token')).toBeNull();
  });

  it('returns an existing folder for each page of the navigation', () => {
    const folders = readdirSync(join(__dirname, '../pages'));
    for (const { to } of PAGES) expect(folders).toContain(firstPage('/', to.replace('$ws', 'search')));
  });
});

describe('FIRST_PATHS', () => {
  it('lists the reads of the session', () => {
    expect(FIRST_PATHS).toEqual(
      (['auth_self', 'auth_permissions', 'console_bootstrap'] as const).map((id) => accessOf(id).path),
    );
  });
});
