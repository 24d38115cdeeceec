export { JsonView, type JsonViewProps } from './json-view';
export { TextLines, type TextLinesProps } from './text-lines';
export { atPointer, pathText } from './json-lines';
