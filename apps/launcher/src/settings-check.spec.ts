import { checkSettings } from './settings-check';

describe('checkSettings', () => {
  it('finds nothing when an app cannot be checked, so that the error of the start is reported', async () => {
    const environments = { gateway: {}, admin: {}, worker: {} };
    await expect(checkSettings('/nonexistent', environments)).resolves.toBeUndefined();
  });
});
