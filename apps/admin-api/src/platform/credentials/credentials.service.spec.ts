import { credentialBinding } from '@gw/contracts';
import { unseal } from '@gw/kernel';
import { randomBytes } from 'node:crypto';
import { Secrets } from '../../settings';
import { CredentialsService } from './credentials.service';
import { maskSecret } from './shown-secret';

const secrets = new Secrets(randomBytes(32), 'service-token');
const service = new CredentialsService(secrets);
const owner = { id: 'i1', organisationId: 'o1' };
const plain = { apiKey: 'sk-CANARYPROVIDER0123456789', configurations: { azure_entra_client_secret: 's' } };

describe('CredentialsService', () => {
  const sealedCredential = service.seal(owner, plain);

  it('opens what it sealed, for the same integration only', () => {
    expect(service.open({ ...owner, sealedCredential })).toEqual(plain);
    expect(() => service.open({ ...owner, id: 'i2', sealedCredential })).toThrow();
    expect(() => service.open({ ...owner, organisationId: 'o2', sealedCredential })).toThrow();
    expect(sealedCredential).not.toContain('CANARY');
  });

  it('seals nothing when there is no secret', () => {
    expect(service.seal(owner, { configurations: {} })).toBeNull();
    const provider = { id: 'p1', workspaceId: 'w1' };
    expect(service.sealForProvider({ ...owner, sealedCredential: null }, provider)).toEqual({
      sealedCredential: null,
      version: 'none',
    });
  });

  it('binds the gateway’s copy to its provider', () => {
    const { sealedCredential: copy } = service.sealForProvider(
      { ...owner, sealedCredential },
      { id: 'p1', workspaceId: 'w1' },
    );
    const open = (workspaceId: string, providerId: string): unknown =>
      JSON.parse(
        unseal(secrets.sealingKeyring, copy as string, credentialBinding(workspaceId, providerId)).toString(),
      );
    expect(open('w1', 'p1')).toEqual(plain);
    expect(() => open('w2', 'p1')).toThrow();
    expect(() => open('w1', 'p2')).toThrow();
  });

  it('changes the version only when the credential is written, so that the document stays the same otherwise', () => {
    const provider = { id: 'p1', workspaceId: 'w1' };
    const first = service.sealForProvider({ ...owner, sealedCredential }, provider);
    const second = service.sealForProvider({ ...owner, sealedCredential }, provider);
    expect(second.sealedCredential).not.toBe(first.sealedCredential);
    expect(second.version).toBe(first.version);
    const rewritten = {
      ...owner,
      sealedCredential: service.seal(owner, { ...plain, apiKey: 'sk-other-0123' }),
    };
    expect(service.sealForProvider(rewritten, provider).version).not.toBe(first.version);
  });
});

describe('maskSecret', () => {
  it('shows five characters of a long secret and none of a short one', () => {
    expect(maskSecret('sk-CANARYPROVIDER0123456789')).toBe('sk*****789');
    expect(maskSecret('short-key')).toBe('*****');
  });
});
