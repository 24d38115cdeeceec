export * from './filter';
export * from './page-codec';
export * from './page-state';
export * from './range';
export * from './search-text';
