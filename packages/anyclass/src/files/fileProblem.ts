export { errorCode, fileProblem } from '@anyclass/torch/files';
