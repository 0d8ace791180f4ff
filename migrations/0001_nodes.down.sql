DROP TABLE groups;
DROP TABLE nodes;
