export * from './error-boundary';
export * from './failed';
export * from './loaded';
export * from './page';
export * from './skeletons';
export * from './states';
