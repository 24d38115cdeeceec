import { createHash } from 'node:crypto';

import { isAwsSigned } from './aws-signature';
import { StubProvider, type RecordedRequest, type StubResponse } from './stub-provider';

export const STUB_S3_KEYS = { keyId: 'AKIDSTUB0000000000S3', secret: 'stub+s3/secret0123456789' } as const;

/**
 * An S3 stub on loopback with path-style addresses. It writes, reads, lists and removes objects,
 * and verifies signatures.
 */
export class StubObjectStore {
  /** Bytes by `bucket/key`. */
  readonly objects = new Map<string, Buffer>();
  /** Response to every request while it is not null. */
  outage: StubResponse | null = null;

  private constructor(readonly stub: StubProvider) {
    stub.respond((request) => this.outage ?? this.respond(request));
  }

  static async start(): Promise<StubObjectStore> {
    return new StubObjectStore(await StubProvider.start());
  }

  get origin(): string {
    return this.stub.origin;
  }

  stop(): Promise<void> {
    return this.stub.stop();
  }

  private respond(request: RecordedRequest): StubResponse {
    const { keyId, secret } = STUB_S3_KEYS;
    if (!isAwsSigned(request, 's3', { [keyId]: { secret } })) return fault(403, 'SignatureDoesNotMatch');
    const hash = createHash('sha256').update(request.body).digest('hex');
    if (request.headers['x-amz-content-sha256'] !== hash) return fault(400, 'XAmzContentSHA256Mismatch');
    const { pathname, searchParams } = new URL(request.url, this.origin);
    const name = decodeURIComponent(pathname.slice(1));
    if (searchParams.get('list-type') === '2') return this.list(name, searchParams);
    if (request.method === 'POST' && searchParams.has('delete')) return this.remove(name, request.body);
    if (request.method === 'PUT') {
      this.objects.set(name, request.body);
      return { headers: { etag: '"stub"' } };
    }
    return request.method === 'GET'
      ? this.read(name, request.headers['range'])
      : fault(405, 'MethodNotAllowed');
  }

  private read(name: string, range: string | string[] | undefined): StubResponse {
    const bytes = this.objects.get(name);
    if (!bytes) return fault(404, 'NoSuchKey');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(range)) ?? [];
    if (from === undefined || to === undefined) return { body: bytes };
    if (Number(from) >= bytes.length) return fault(416, 'InvalidRange');
    return { status: 206, body: bytes.subarray(Number(from), Number(to) + 1) };
  }

  private list(bucket: string, query: URLSearchParams): StubResponse {
    const prefix = `${bucket.replace(/\/$/, '')}/${query.get('prefix') ?? ''}`;
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix)).sort();
    const page = names.slice(0, Number(query.get('max-keys') ?? 1_000));
    const contents = page.map(
      (name) => `<Contents><Key>${name.slice(name.indexOf('/') + 1)}</Key></Contents>`,
    );
    return xml(
      200,
      `<ListBucketResult><KeyCount>${String(page.length)}</KeyCount>${contents.join('')}</ListBucketResult>`,
    );
  }

  private remove(bucket: string, body: Buffer): StubResponse {
    for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) {
      this.objects.delete(`${bucket.replace(/\/$/, '')}/${key}`);
    }
    return xml(200, '<DeleteResult></DeleteResult>');
  }
}

const xml = (status: number, text: string): StubResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${text}`,
});

const fault = (status: number, code: string): StubResponse =>
  xml(status, `<Error><Code>${code}</Code><Message>Not from this stub.</Message></Error>`);
