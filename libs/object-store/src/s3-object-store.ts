import type { S3Client } from '@aws-sdk/client-s3';
import type { BufferedClient } from '@gw/outbound';
import { createRequire } from 'node:module';
import { assertKey, OBJECT_BYTES_MAX, type ByteRange, type ObjectStore } from './object-store';
import { outboundRequestHandler } from './s3-request-handler';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /**
   * Endpoint; null: Amazon's own. Buckets are then addressed in the path, as other S3 stores need
   * it.
   */
  readonly endpoint: string | null;
  /** Prefix of every key; empty or ends with `/`. */
  readonly basePath: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly client: BufferedClient;
}

/** Number of objects per list and delete request. */
const REMOVED_AT_ONCE = 1_000;
const ATTEMPTS_MAX = 2;

const requireLazily = createRequire(__filename);
type Sdk = typeof import('@aws-sdk/client-s3');

/** Stores objects in a bucket of an S3 service. The SDK is loaded on first use. */
export class S3ObjectStore implements ObjectStore {
  private opened: { readonly sdk: Sdk; readonly s3: S3Client } | null = null;

  constructor(private readonly options: S3Options) {}

  async put(key: string, bytes: Buffer): Promise<void> {
    const { sdk, s3 } = this.open();
    await s3.send(new sdk.PutObjectCommand({ ...this.place(key), Body: bytes, ContentLength: bytes.length }));
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | null> {
    const { sdk, s3 } = this.open();
    const last = range === undefined ? 0 : range.offset + range.length - 1;
    const ranged = range === undefined ? {} : { Range: `bytes=${String(range.offset)}-${String(last)}` };
    try {
      const { Body } = await s3.send(new sdk.GetObjectCommand({ ...this.place(key), ...ranged }));
      return Body === undefined ? Buffer.alloc(0) : Buffer.from(await Body.transformToByteArray());
    } catch (error) {
      const { name } = error as Error;
      if (name === 'NoSuchKey') return null;
      if (name === 'InvalidRange') return Buffer.alloc(0);
      throw error;
    }
  }

  /** Deletes each page of a list before requesting the next, so that memory stays bounded. */
  async removeFolder(folder: string): Promise<void> {
    assertKey(folder, true);
    const { sdk, s3 } = this.open();
    const { bucket: Bucket, basePath } = this.options;
    for (;;) {
      const { Contents = [] } = await s3.send(
        new sdk.ListObjectsV2Command({ Bucket, Prefix: basePath + folder, MaxKeys: REMOVED_AT_ONCE }),
      );
      const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
      if (Objects.length === 0) return;
      const { Errors = [] } = await s3.send(
        new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
      );
      if (Errors.length > 0) throw new Error(`${String(Errors.length)} objects could not be removed.`);
    }
  }

  close(): void {
    this.opened?.s3.destroy();
  }

  private place(key: string): { Bucket: string; Key: string } {
    assertKey(key);
    return { Bucket: this.options.bucket, Key: this.options.basePath + key };
  }

  private open(): { readonly sdk: Sdk; readonly s3: S3Client } {
    this.opened ??= this.load();
    return this.opened;
  }

  private load(): { readonly sdk: Sdk; readonly s3: S3Client } {
    const sdk = requireLazily('@aws-sdk/client-s3') as Sdk;
    const { region, endpoint, credentials, client } = this.options;
    const s3 = new sdk.S3Client({
      region,
      maxAttempts: ATTEMPTS_MAX,
      // Bodies are whole and in memory: no trailers, and no checksums that other S3 stores do not
      // support.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: outboundRequestHandler(client, OBJECT_BYTES_MAX),
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      credentials,
    });
    return { sdk, s3 };
  }
}
