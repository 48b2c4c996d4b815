export * from './cell.js';
export * from './filter.js';
export * from './input.js';
export * from './settings.js';
