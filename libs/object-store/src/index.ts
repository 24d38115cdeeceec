export { DatabaseObjectStore, type RunSql } from './database-object-store';
export { DiskObjectStore } from './disk-object-store';
export { OBJECT_BYTES_MAX, type ByteRange, type ObjectStore } from './object-store';
export { S3ObjectStore, type S3Options } from './s3-object-store';
export { openLogStores, OBJECT_STORE_SETTINGS, type LogStores, type ObjectStoreSettings } from './settings';
