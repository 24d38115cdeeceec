import { documentedSettings } from '@gw/testing';
import { SETUP_SETTINGS } from './platform/setup/settings';
import { ADMIN_SETTINGS } from './settings';

describe('ADMIN_SETTINGS and SETUP_SETTINGS', () => {
  it('are all listed in docs/settings.md', () => {
    const documented = documentedSettings();
    const declared = Object.keys({ ...ADMIN_SETTINGS, ...SETUP_SETTINGS });
    expect(declared.filter((name) => !documented.includes(name))).toEqual([]);
  });
});
