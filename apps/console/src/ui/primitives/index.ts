export * from './copy';
export * from './format-context';
export * from './live-region';
export * from './marks';
export * from './moment';
export * from './money';
export * from './values';
