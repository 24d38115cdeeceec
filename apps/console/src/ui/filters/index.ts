export * from './chip';
export * from './fields';
export * from './filter-bar';
export * from './filter-text';
