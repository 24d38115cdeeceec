import {
  AuditLogEntity,
  claimMail,
  OrganisationEntity,
  OrganisationUserEntity,
  SsoConnectionEntity,
  UserEntity,
  type SamlSettings,
} from '@gw/entities';
import { newKeyWithCertificate, readCertificate, readIdpMetadata } from '@gw/federation';
import { createAddressPolicy, DAY_MS, sealingKeyring, uuidv7, type Keyring } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { readCases, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SsoMetadataProcessor } from './sso-metadata.processor';

const KEYRING = sealingKeyring(Buffer.alloc(32, 7));
const IDP = 'https://idp.example';

interface Published {
  readonly entityId?: string;
  readonly sso?: string;
  readonly slo?: string;
  readonly certificates: readonly string[];
}

const metadataOf = ({ entityId = IDP, sso = `${IDP}/sso`, slo, certificates }: Published): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">` +
  '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
  certificates
    .map(
      (pem) =>
        `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${pem.replace(/-----[A-Z ]+-----|\s/g, '')}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
    )
    .join('') +
  (slo === undefined
    ? ''
    : `<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${slo}"/>`) +
  `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${sso}"/>` +
  '</IDPSSODescriptor></EntityDescriptor>';

describe('sso-metadata job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  let server: Server;
  let published: string | number = 404;
  let [one, two] = ['', ''];

  beforeAll(async () => {
    [one, two] = (await Promise.all(
      ['one', 'two'].map(async (name) => (await newKeyWithCertificate(name)).certificate),
    )) as [string, string];
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    const userId = uuidv7();
    await manager.insert(UserEntity, { id: userId, email: 'owner@acme.example' });
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role: 'owner' });
    server = createServer((_, response) => {
      response.statusCode = typeof published === 'number' ? published : 200;
      response.end(String(published));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => server.close());

  const run = (now = new Date(), mails: Keyring | null = KEYRING): Promise<void> =>
    new SsoMetadataProcessor(
      database.dataSource,
      new BufferedClient({ policy: createAddressPolicy({ trustedHosts: ['127.0.0.1'] }) }),
      true,
      mails,
      createLog('test', 'silent'),
    ).readAll(now);
  const settingsOf = async (id: string): Promise<SamlSettings> => {
    const row = await database.dataSource.manager.findOneByOrFail(SsoConnectionEntity, { id });
    if (row.saml === null) throw new Error('The connection has no settings.');
    return row.saml;
  };
  /** Returns the fingerprints of the certificates in their order, and the metadata fault. */
  const stateOf = async (id: string): Promise<unknown> => {
    const { certificates, metadataFault = null } = await settingsOf(id);
    return [certificates.map(({ fingerprint }) => fingerprint), metadataFault];
  };
  const print = (pem: string): string => readCertificate(pem).fingerprint;
  const subjects = async (): Promise<string[]> => {
    const sent: string[] = [];
    for (let mail = await claimMail(database.dataSource.manager, KEYRING); mail !== null;) {
      expect(mail.recipient).toBe('owner@acme.example');
      sent.push(mail.message.subject);
      mail = await claimMail(database.dataSource.manager, KEYRING);
    }
    return sent;
  };
  /** Replaces all connections by one whose saved metadata has the certificate `one`. */
  const connection = async (saml: Partial<SamlSettings> = {}): Promise<string> => {
    const { manager } = database.dataSource;
    await manager.delete(SsoConnectionEntity, { organisationId });
    const id = uuidv7();
    const { port } = server.address() as AddressInfo;
    const { sso, certificates } = readIdpMetadata(metadataOf({ certificates: [one] }));
    await manager.insert(SsoConnectionEntity, {
      ...{ id, organisationId, name: id, type: 'saml', issuer: IDP, clientId: '' },
      tokenEndpointAuthMethod: 'none',
      saml: {
        ...{ ssoUrl: sso.url, ssoBinding: sso.binding, sloUrl: null, certificates },
        metadataUrl: `http://127.0.0.1:${String(port)}/metadata`,
        ...{ ownCertificate: '', signRequests: false, allowIdpInitiated: false, forceAuthn: false },
        ...{ lenientDestination: false, enforceCertificateDates: false, nameIdFormat: null },
        ...{ authnContext: null, emailAttribute: null, givenNameAttribute: null, familyNameAttribute: null },
        ...{ ownParts: [], sloBinding: 'redirect', sloResponseUrl: null, ...saml },
      },
    });
    return id;
  };

  const vector = (id: string): string => {
    const { cases } = readCases('saml.json') as {
      readonly cases: readonly { readonly id: string; readonly expect: string }[];
    };
    return cases.find((each) => each.id === id)?.expect ?? '';
  };

  it('adds a new certificate next to the old one, and drops the old one when the metadata no longer has it [saml-133]', async () => {
    expect(vector('saml-133')).toBe('only the second');
    const id = await connection();
    published = metadataOf({ certificates: [one, two] });
    await run();
    expect(await stateOf(id)).toEqual([[print(one), print(two)], null]);
    published = metadataOf({ certificates: [two] });
    await Promise.all([run(), run(), run()]);
    expect(await stateOf(id)).toEqual([[print(two)], null]);
    await run();
    const audits = await database.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audits.map(({ action, uri }) => [action, uri])).toEqual(Array(2).fill(['update', 'sso-metadata']));
    expect(await subjects()).toEqual([`The metadata of “${id}” has changed`]);
  });

  it.each([
    [
      'another entityID [saml-131]',
      { entityId: 'https://evil.example' },
      'The entityID is https://evil.example now.',
    ],
    ['another host', { sso: 'https://evil.example/sso' }, 'An address is on the host evil.example now.'],
    [
      'logouts at another host',
      { slo: 'https://evil.example/' },
      'An address is on the host evil.example now.',
    ],
  ])('does not apply metadata with %s, and mails administrators once', async (_, change, fault) => {
    expect(vector('saml-131')).toBe('not applied, mail');
    const id = await connection();
    published = metadataOf({ ...change, certificates: [two] });
    await run();
    await run();
    expect(await stateOf(id)).toEqual([[print(one)], fault]);
    expect((await settingsOf(id)).ssoUrl).toBe(`${IDP}/sso`);
    expect(await subjects()).toEqual([`The metadata of “${id}” was not applied`]);
    published = metadataOf({ certificates: [one] });
    await run();
    expect(await stateOf(id)).toEqual([[print(one)], null]);
    expect(await subjects()).toEqual([]);
  });

  it('keeps the saved settings while the metadata URL fails, and the parts that administrators set by hand', async () => {
    const id = await connection({ ownParts: ['certificates', 'slo'], sloUrl: `${IDP}/mine` });
    published = 500;
    await run();
    expect(await stateOf(id)).toEqual([
      [print(one)],
      expect.stringContaining('must respond with status 200'),
    ]);
    published = metadataOf({ certificates: [two], slo: `${IDP}/theirs`, sso: `${IDP}/new` });
    await run();
    const { ssoUrl, sloUrl } = await settingsOf(id);
    expect([ssoUrl, sloUrl]).toEqual([`${IDP}/new`, `${IDP}/mine`]);
    expect(await stateOf(id)).toEqual([[print(one)], null]);
    await subjects();
  });

  it('changes nothing in settings without a list of the parts that were set by hand', async () => {
    const id = await connection();
    const { ownParts: _parts, ...saml } = await settingsOf(id);
    await database.dataSource.manager.update(SsoConnectionEntity, { id }, { saml });
    published = metadataOf({ certificates: [two], sso: `${IDP}/new` });
    await run();
    expect(await stateOf(id)).toEqual([[print(one)], null]);
    expect((await settingsOf(id)).ssoUrl).toBe(`${IDP}/sso`);
    expect(await subjects()).toEqual([]);
  });

  it('mails once 30, 7 and 1 days before the last certificate expires', async () => {
    const id = await connection({ metadataUrl: null });
    const { certificates } = await settingsOf(id);
    const end = new Date(certificates[0]?.validUntil ?? '').getTime();
    const sent: number[] = [];
    for (const days of [31, 29, 28, 6.5, 6, 0.5, -1]) {
      await run(new Date(end - days * DAY_MS));
      sent.push((await subjects()).length);
    }
    expect(sent).toEqual([0, 1, 0, 1, 0, 1, 0]);
  });

  it('sends the mail about an expiring certificate when mail was off at first', async () => {
    const id = await connection({ metadataUrl: null });
    const { certificates } = await settingsOf(id);
    const now = new Date(new Date(certificates[0]?.validUntil ?? '').getTime() - 6 * DAY_MS);
    await run(now, null);
    await run(now);
    expect(await subjects()).toHaveLength(1);
  });
});
