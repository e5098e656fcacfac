export { type Check, type Place, placeText } from './check.js';
export { fillByHash, type HashFillOptions, hashImages } from './hashFill.js';
export { type VectorReport, vectorReportText, verifyFile } from './verifyFile.js';
