import { documentedSettings } from '@gw/testing';
import { GATEWAY_SETTINGS } from './settings';

describe('GATEWAY_SETTINGS', () => {
  it('are all listed in docs/settings.md', () => {
    const documented = documentedSettings();
    expect(Object.keys(GATEWAY_SETTINGS).filter((name) => !documented.includes(name))).toEqual([]);
  });
});
