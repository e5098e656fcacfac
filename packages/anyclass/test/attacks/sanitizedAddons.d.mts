export function runAddons(folder: string): boolean;
