export * from './column-menu';
export * from './columns';
export * from './data-grid';
export { isTyping } from './keyboard';
