import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf } from '../api';
import { PAGES } from '../pages';
import { FIRST_PATHS } from './begun';
import { firstPage } from './first-page';

describe('The first page of an address', () => {
  it.each([
    ['/console/', 'home'],
    ['/console/w/search', 'home'],
    ['/console/w/search/', 'home'],
    ['/console/w/search/logs', 'logs'],
    ['/console/w/search/logs/01a2', ''],
    ['/console/org/audit', 'audit'],
    ['/console/me/keys', ''],
  ])('of %s is "%s"', (path, page) => {
    expect(firstPage('/console/', path)).toBe(page);
  });

  it.each(['claim', 'login/sso', 'login', 'invite/token'])(
    'is none at %s, where a session is opened',
    (path) => {
      expect(firstPage('/tools/gate/', `/tools/gate/${path}`)).toBeNull();
    },
  );

  it('is none for the link of the launcher', () => {
    expect(firstPage('/console/', '/console/', '#claim=token')).toBeNull();
  });

  it('has the folder of each page of the navigation', () => {
    const folders = readdirSync(join(__dirname, '../pages'));
    for (const { to } of PAGES) expect(folders).toContain(firstPage('/', to.replace('$ws', 'search')));
  });
});

describe('The requests that begin first', () => {
  it('are those of the session', () => {
    expect(FIRST_PATHS).toEqual(
      (['auth_self', 'auth_permissions', 'console_bootstrap'] as const).map((id) => accessOf(id).path),
    );
  });
});
