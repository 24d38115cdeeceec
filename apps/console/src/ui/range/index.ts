export { RangePicker, type RangePickerProps } from './range-picker';
export { parseRangeText } from './range-text';
export { clockChangeNote, rangeWords } from './range-words';
