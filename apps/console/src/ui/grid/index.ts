export { ColumnMenu, type ColumnMenuProps } from './column-menu';
export { templateOf, useColumns, type Column, type ColumnChoice } from './columns';
export { DataGrid, type DataGridProps } from './data-grid';
