import { oneOf, optional, SettingsError, text, url } from '@gw/kernel';
import { operatorsClient, type ProxyEnvironment } from '@gw/outbound';
import { join } from 'node:path';
import { DatabaseObjectStore, type RunSql } from './database-object-store';
import { DiskObjectStore } from './disk-object-store';
import type { ObjectStore } from './object-store';
import { S3ObjectStore } from './s3-object-store';

/** Where bodies of logged requests and files of exports are stored. */
export const OBJECT_STORE_SETTINGS = {
  /**
   * `postgres`: both in the database; `local`: both on disk, below DATA_DIR; `s3`: both in buckets.
   */
  LOG_STORE: oneOf(['postgres', 'local', 's3'], 'postgres'),
  LOG_STORE_REGION: text('us-east-1'),
  /** Endpoint; absent: Amazon's own. The host may be private. */
  LOG_STORE_ENDPOINT: optional(url({ protocols: ['http:', 'https:'] })),
  LOG_STORE_ACCESS_KEY: optional(text()),
  LOG_STORE_SECRET_KEY: optional(text()),
  LOG_STORE_GENERATIONS_BUCKET: optional(text()),
  /** A folder of the bucket. */
  LOG_STORE_BASEPATH: text(''),
  /** Bucket of exports; absent: the bucket of bodies. */
  LOG_EXPORTS_BUCKET: optional(text()),
} as const;

export interface ObjectStoreSettings extends ProxyEnvironment {
  readonly LOG_STORE: 'postgres' | 'local' | 's3';
  readonly LOG_STORE_REGION: string;
  readonly LOG_STORE_ENDPOINT: string | null;
  readonly LOG_STORE_ACCESS_KEY: string | null;
  readonly LOG_STORE_SECRET_KEY: string | null;
  readonly LOG_STORE_GENERATIONS_BUCKET: string | null;
  readonly LOG_STORE_BASEPATH: string;
  readonly LOG_EXPORTS_BUCKET: string | null;
  readonly DATA_DIR: string;
}

export interface LogStores {
  /** Store of bodies; null: bodies are columns of the log tables. */
  readonly bodies: ObjectStore | null;
  readonly exports: ObjectStore;
}

/**
 * Creates the stores. Throws if `s3` lacks its bucket or credentials. `run` executes statements in
 * the control plane's database.
 */
export function openLogStores(settings: ObjectStoreSettings, run: RunSql): LogStores {
  switch (settings.LOG_STORE) {
    case 'postgres':
      return { bodies: null, exports: new DatabaseObjectStore(run) };
    case 'local': {
      const disk = new DiskObjectStore(join(settings.DATA_DIR, 'objects'));
      return { bodies: disk, exports: disk };
    }
    case 's3':
      return s3Stores(settings);
  }
}

const REQUIRED_OF_S3 = [
  'LOG_STORE_GENERATIONS_BUCKET',
  'LOG_STORE_ACCESS_KEY',
  'LOG_STORE_SECRET_KEY',
] as const;

function missing(name: string): never {
  throw new SettingsError([{ name, rule: 'is required with LOG_STORE=s3' }]);
}

function s3Stores(settings: ObjectStoreSettings): LogStores {
  const { LOG_STORE_ENDPOINT: endpoint } = settings;
  const [bucket, accessKeyId, secretAccessKey] = REQUIRED_OF_S3.map(
    (name) => settings[name] ?? missing(name),
  ) as [string, string, string];
  const basePath = settings.LOG_STORE_BASEPATH.replace(/^\/+|(?<!\/)\/+$/g, '');
  const client = operatorsClient(endpoint, settings);
  const open = (name: string): ObjectStore =>
    new S3ObjectStore({
      bucket: name,
      region: settings.LOG_STORE_REGION,
      endpoint,
      basePath: basePath === '' ? '' : `${basePath}/`,
      credentials: { accessKeyId, secretAccessKey },
      client,
    });
  const bodies = open(bucket);
  const { LOG_EXPORTS_BUCKET: exportsBucket } = settings;
  return { bodies, exports: exportsBucket === null ? bodies : open(exportsBucket) };
}
