import { documentedSettings } from '@gw/testing';
import { WORKER_SETTINGS } from './settings';

describe('WORKER_SETTINGS', () => {
  it('lists every setting in docs/settings.md', () => {
    const documented = documentedSettings();
    expect(Object.keys(WORKER_SETTINGS).filter((name) => !documented.includes(name))).toEqual([]);
  });
});
