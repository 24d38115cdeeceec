import { signAws } from './aws-signature';

/** Credentials of the test suite that AWS published with the scheme. */
const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};

describe('signAws', () => {
  it.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('returns the published signature of the plain %s request', async (method, signature) => {
    const request = {
      method,
      url: new URL('https://example.amazonaws.com/'),
      headers: {},
      body: '',
      region: 'us-east-1',
      service: 'service',
    };
    const headers = await signAws(request, CREDENTIALS, new Date('2015-08-30T12:36:00Z'));
    expect(headers['authorization']).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
  });

  it('signs encoded path segments, a session token and a body like the AWS client', async () => {
    const host = 'bedrock-runtime.eu-central-1.amazonaws.com';
    const id = encodeURIComponent('arn:aws:bedrock:eu-central-1:123456789012:guardrail/abc');
    const headers = await signAws(
      {
        method: 'POST',
        url: new URL(`https://${host}/guardrail/${id}/version/1/apply`),
        headers: { 'content-type': 'application/json' },
        body: '{"source":"INPUT"}',
        region: 'eu-central-1',
        service: 'bedrock',
      },
      { ...CREDENTIALS, sessionToken: 'T' },
      new Date('2026-11-21T12:00:00Z'),
    );
    expect(headers['authorization']).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, ' +
        'Signature=2c97ccf1483ef6809caba2d217845315b4d42d3758fb1bf497818bc595963c59',
    );
  });
});
